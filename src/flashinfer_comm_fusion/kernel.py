"""The calls into ``allreduce_fusion``.

Exceptions from here are not caught: a rank that fell back to another all-reduce while its peers
are in the kernel would hang them all, where an error ends the run and says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch

from flashinfer_comm_fusion.topology import CUTEDSL, MNNVL, TRTLLM

if TYPE_CHECKING:
    from flashinfer_comm_fusion.gate import Gate

_ALWAYS: Final = (
    "input",
    "workspace",
    "pattern",
    "launch_with_pdl",
    "output",
    "residual_out",
    "norm_out",
    "residual_in",
    "rms_gamma",
    "rms_eps",
    "trigger_completion_at_end",
)


def sent_to_kernel(backend: str) -> tuple[str, ...]:
    """The parameters of ``allreduce_fusion`` that this module would send for a backend."""
    if backend == CUTEDSL:
        # It refuses both: its kernels are compiled, and always accumulate in float32.
        return _ALWAYS
    # MNNVL always accumulates in float32; the switch is TRT-LLM's.
    return (*_ALWAYS, "use_oneshot", *(["fp32_acc"] if backend == TRTLLM else []))


def spoken_oneshot(gate: Gate, use_oneshot: bool | None) -> bool | None:
    """The choice of one-shot or two-shot as far as it can be passed on, else None.

    A choice is made only where the size check was asked about the same choice.
    """
    if gate.backend == CUTEDSL or (gate.backend == MNNVL and not gate.size_check.takes_hint):
        return None
    return use_oneshot


def all_reduce(gate: Gate, input_: torch.Tensor) -> torch.Tensor:
    """Sum ``input_`` of shape [tokens, hidden] over the gate's ranks."""
    output = torch.empty_like(input_)
    _call(
        gate,
        {
            "input": input_,
            "pattern": gate.upstream.plain_pattern,
            "output": output,
            "trigger_completion_at_end": False,
        },
        fp32_acc=True,
        use_oneshot=None,
    )
    return output


def all_reduce_residual_rmsnorm(  # noqa: PLR0913 - the upstream's own
    gate: Gate,
    input_: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    *,
    eps: float,
    use_oneshot: bool | None,
    trigger_completion_at_end: bool,
    fp32_acc: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Sum ``input_`` over the ranks, add ``residual``, normalise by ``weight`` of shape [hidden].

    Returns:
        The normalised sum, and the sum with the residual; both [tokens, hidden].
    """
    norm_out = torch.empty_like(input_)
    residual_out = torch.empty_like(residual)
    _call(
        gate,
        {
            "input": input_,
            "pattern": gate.upstream.fused_pattern,
            "residual_out": residual_out,
            "norm_out": norm_out,
            "residual_in": residual,
            "rms_gamma": weight,
            "rms_eps": eps,
            "trigger_completion_at_end": trigger_completion_at_end,
        },
        fp32_acc=fp32_acc,
        use_oneshot=use_oneshot,
    )
    return norm_out, residual_out


def _call(gate: Gate, values: dict[str, Any], *, fp32_acc: bool, use_oneshot: bool | None) -> None:
    values["workspace"] = gate.workspace
    values["launch_with_pdl"] = True
    if gate.backend == TRTLLM:
        values["fp32_acc"] = fp32_acc
    if use_oneshot is not None:
        values["use_oneshot"] = use_oneshot
    by_position, by_keyword = gate.upstream.all_reduce_signature.arguments(values)
    gate.upstream.all_reduce(*by_position, **by_keyword)
