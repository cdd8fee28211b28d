"""Every shape that upstream has had or may take: active and right, or off for the right reason."""

from __future__ import annotations

import contextlib
import fnmatch
import io
from typing import Any

import pytest
import torch

import flashinfer_comm_fusion as fusion
from fusion.stubs import NAMES, Group, configure, degraded, over_stub

BF16 = torch.bfloat16
# Named as in matrix/environments.toml, which the stubs' expectations go by: SM, then the group.
ENVIRONMENTS = {
    "h100": (90, [0, 1, 2, 3]),
    "h100_subgroup": (90, [2, 3]),
    "b200": (100, [0, 1, 2, 3]),
    "b200_subgroup": (100, [2, 3]),
}


def drive(core: Any) -> dict[str, Any]:
    """Live one life in each environment; what the upstream prints is not ours."""
    with contextlib.redirect_stdout(io.StringIO()):
        return {name: live(core, sm, members) for name, (sm, members) in ENVIRONMENTS.items()}


def live(core: Any, sm: int, members: list[int]) -> dict[str, Any]:
    met: list[list[int]] = []
    core.subscribe(
        lambda kind, _, data: met.append(data["ranks"]) if kind == "rendezvous" else None
    )
    group = Group(4, members)
    configure(core, group, sm)
    ready = fusion.ensure_workspace_initialized(64, 1024, dtype=BF16)
    status = fusion.fusion_status()
    told = {
        "ready": ready,
        "reason": str(status.reason or ""),
        "met": sorted({tuple(peers) for peers in met}),
        "right": use(group) if ready else None,
    }
    fusion.cleanup_flashinfer_workspace()
    told["left"] = core.live_handles()
    return told


def use(group: Group) -> list[bool]:
    """On the fake backend every peer holds this rank's input: a sum is input times ranks."""
    tensor = torch.randn(8, 1024, dtype=torch.float64)
    total = tensor.to(BF16).double() * group.world_size
    plain, summed, norm = (torch.full_like(tensor, float("nan")) for _ in range(3))
    if fusion.can_use_flashinfer_allreduce(
        tensor.to(BF16),
        use_attn_tp_group=True,
        expected_world_size=group.world_size,
        expected_group_key=group.key,
    ):
        plain = fusion.flashinfer_allreduce(tensor.to(BF16), use_attn_tp_group=True).double()
    outcome = fusion.flashinfer_allreduce_residual_rmsnorm(
        tensor.to(BF16), tensor.to(BF16), torch.ones(1024, dtype=BF16)
    )
    if outcome[0] is not None and outcome[1] is not None:
        norm, summed = outcome[0].double(), outcome[1].double()
    with_residual = total + tensor.to(BF16).double()
    normed = torch.nn.functional.rms_norm(with_residual, (1024,), eps=1e-6)
    return [
        torch.allclose(actual, expected, rtol=2e-2, atol=2e-2)
        for actual, expected in ((plain, total), (summed, with_residual), (norm, normed))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_shape_is_used_rightly_or_refused_rightly(name: str) -> None:
    """Active means: met over the group, summed over it, and nothing left afterwards."""
    told = over_stub(name, drive)

    for environment, (_, members) in ENVIRONMENTS.items():
        reason = next(
            (
                code
                for pattern, code in degraded(name).items()
                if fnmatch.fnmatch(environment, pattern)
            ),
            "",
        )
        expected = {
            "ready": not reason,
            "reason": reason,
            "right": [True, True, True] if not reason else None,
            "left": 0,
        }
        met = told[environment].pop("met")
        assert told[environment] == expected, environment
        assert met in ([], [tuple(members)]), environment
        assert met or reason, "an active workspace has met its peers"
