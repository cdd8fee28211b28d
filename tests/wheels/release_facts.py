"""Drives real releases on the seams and prints what happened, one JSON line a release.

Run as a script: ``release_facts.py STORE SEAMS VERSION…``. torch is loaded once; each release has
a forked child of its own.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import io
import json
import logging
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory  # what releases import; loaded once for all
from torch.testing._internal.distributed.fake_pg import FakeStore

from driftgate.wheels.load import LoadedRelease, load_release
from driftgate.wheels.machine import Device, Machine
from driftgate.wheels.table import read_seam_table

WORLD, GROUP = 8, [0, 1, 2, 3]
TOKENS, HIDDEN = 64, 256


class Release:
    """One release, driven in a subgroup of four of eight ranks."""

    def __init__(self, machine: Machine) -> None:
        import flashinfer.comm  # noqa: PLC0415 - only now is it the release meant

        self.comm: Any = flashinfer.comm
        self.machine = machine
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        machine.subscribe(lambda *event: self.events.append(event))
        self.group = dist.new_group(GROUP)

    def create(self, backend: str, **changes: Any) -> Any:
        """Create a workspace as an engine would: both ways of naming the peers, where taken."""
        create = self.comm.create_allreduce_fusion_workspace
        arguments = {
            "backend": backend,
            "world_size": len(GROUP),
            "rank": 0,
            "max_token_num": TOKENS,
            "hidden_dim": HIDDEN,
            "dtype": torch.bfloat16,
            "comm_backend": self.comm.mnnvl.TorchDistBackend(group=self.group),
        }
        if "group" in inspect.signature(create).parameters:
            arguments["group"] = self.group
        return create(**{**arguments, **changes})

    def run(self, workspace: Any, pattern: int, **changes: Any) -> dict[str, Any]:
        """Call the dispatcher once; return the worst errors against plain torch."""
        torch.manual_seed(0)
        source, residual = torch.randn(2, 8, HIDDEN).bfloat16()
        weight = torch.rand(HIDDEN).bfloat16()
        arguments: dict[str, Any] = {"launch_with_pdl": False, **changes}
        total = source.float() * len(GROUP)
        if pattern == 0:
            out = self.comm.allreduce_fusion(source, workspace, pattern=0, **arguments)
            return {"sum": _error(out, total)}
        outputs = {"residual_out": torch.empty_like(source), "norm_out": torch.empty_like(source)}
        self.comm.allreduce_fusion(
            source,
            workspace,
            pattern=1,
            residual_in=residual,
            rms_gamma=weight,
            rms_eps=1e-5,
            **outputs,
            **arguments,
        )
        summed = total + residual.float()
        normed = torch.nn.functional.rms_norm(summed, (HIDDEN,), weight.float(), 1e-5)
        return {
            "residual": _error(outputs["residual_out"], summed),
            "norm": _error(outputs["norm_out"], normed),
        }

    def life(self, backend: str, **changes: Any) -> dict[str, Any]:
        """Create, check sizes, run both patterns, destroy."""
        self.events.clear()
        workspace = self.create(backend, **changes)
        rows = ((TOKENS, HIDDEN), (TOKENS + 1, HIDDEN), (4096, 4096))
        facts = {
            "backend": workspace.backend,
            "sizes": [workspace.is_buffer_size_sufficient(4, *row, torch.bfloat16) for row in rows],
            **self.run(workspace, 0),
            **self.run(workspace, 1),
        }
        # A cached validator keeps its workspace alive; that is known, and not what is asked here.
        cache_clear = getattr(type(workspace).is_buffer_size_sufficient, "cache_clear", None)
        if cache_clear is not None:
            cache_clear()
        workspace.destroy()
        del workspace
        gc.collect()
        facts["met"] = [[data["over"], data["ranks"]] for data in self.of("rendezvous")]
        facts["served"] = sorted({data["backend"] for data in self.of("rendezvous")})
        facts["kernels"] = self.of("kernel")
        return facts

    def older(self) -> dict[str, Any]:
        """Sum over a workspace of the API before the unified one, and give it back."""
        self.events.clear()
        pointers, table = self.comm.trtllm_create_ipc_workspace_for_all_reduce_fusion(
            tp_rank=0, tp_size=4, max_token_num=TOKENS, hidden_dim=HIDDEN, group=self.group
        )
        rows, out = torch.ones(TOKENS, HIDDEN).bfloat16(), torch.empty(TOKENS, HIDDEN).bfloat16()
        given = {
            "allreduce_in": rows,
            "world_size": 4,
            "world_rank": 0,
            "token_num": TOKENS,
            "hidden_dim": HIDDEN,
            "workspace_ptrs": table,
            "launch_with_pdl": False,
            "trigger_completion_at_end": True,
            "fp32_acc": True,
            "pattern_code": 0,
            "use_oneshot": True,
            "allreduce_out": out,
        }
        call = self.comm.trtllm_allreduce_fusion
        call(**{**dict.fromkeys(inspect.signature(call).parameters), **given})
        self.comm.trtllm_destroy_ipc_workspace_for_all_reduce_fusion(pointers, self.group)
        met = [[data["over"], data["ranks"]] for data in self.of("rendezvous")]
        return {"sum": float(out[0, 0]), "met": met}

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The data of one kind's events since the last life began."""
        return [data for seen, _, data in self.events if seen == kind]


def _error(got: torch.Tensor, want: torch.Tensor) -> float:
    """Largest error relative to the largest expected value."""
    return float((got.float() - want).abs().max() / want.abs().max())


def _try(action: Any) -> Any:
    try:
        return action()
    except Exception as error:  # noqa: BLE001 - the error is the fact
        return f"{type(error).__name__}: {error}"


def facts_of(folder: Path, version: str, seams: Path) -> dict[str, Any]:
    """Everything the tests ask of one release."""
    machine = Machine()
    with tempfile.TemporaryDirectory() as scratch:
        loaded = load_release(folder, version, read_seam_table(seams), machine, Path(scratch))
        facts: dict[str, Any] = {"standins": loaded.standins}
        if not isinstance(loaded, LoadedRelease):
            return {**facts, "refused": [loaded.error, loaded.text, loaded.where]}
        facts["seams"] = loaded.seams
        release = Release(machine)
        facts["file"] = release.comm.__file__
        if not hasattr(release.comm, "create_allreduce_fusion_workspace"):
            return {**facts, "unified": False}
        facts["unified"] = True
        for backend in ("mnnvl", "trtllm"):
            before = machine.live_handles()
            facts[backend] = _try(partial(release.life, backend))
            facts[backend]["left"] = machine.live_handles() - before
        facts["world"] = _try(lambda: release.life("mnnvl", world_size=8, comm_backend=_over(None)))
        facts["no_communicator"] = _try(lambda: release.life("mnnvl", comm_backend=None))
        facts["cutedsl"] = _try(lambda: release.create("mnnvl-cutedsl", comm_backend=None))
        machine.configure(Device(multicast=False))
        facts["no_multicast"] = _try(lambda: release.life("auto"))
        machine.configure(Device(faults=frozenset({"null_multicast"})))
        facts["null_multicast"] = _try(lambda: release.life("mnnvl"))
        machine.configure(Device(faults=frozenset({"create_raises"})))
        facts["create_raises"] = [
            _try(partial(release.create, name)) for name in ("trtllm", "mnnvl")
        ]
        machine.configure(Device())
        before = machine.live_handles()
        facts["older"] = _try(release.older)
        facts["older_left"] = machine.live_handles() - before
        facts["misused"] = _try(lambda: _misuse(release))
    return facts


def _over(group: Any) -> Any:
    import flashinfer.comm.mnnvl as module  # noqa: PLC0415 - only now is it the release meant

    return module.TorchDistBackend(group=group)


def _misuse(release: Release) -> Any:
    """Run on a workspace whose buffers were given back under it."""
    workspace = release.create("mnnvl")
    for region in release.machine._regions:
        region.live = False
    return release.run(workspace, 0)


def main() -> None:
    """Print one line a release."""
    store, seams, *versions = sys.argv[1:]
    torch.set_num_threads(1)
    answers = os.dup(1)
    for version in versions:
        if os.fork():
            os.wait()
            continue
        with contextlib.redirect_stdout(io.StringIO()), Path(os.devnull).open("w") as null:
            os.dup2(null.fileno(), 1)
            os.dup2(null.fileno(), 2)
            logging.disable()
            dist.init_process_group("fake", rank=0, world_size=WORLD, store=FakeStore())
            facts = _try(partial(facts_of, Path(store) / version, version, Path(seams)))
        os.write(answers, json.dumps([version, facts]).encode() + b"\n")
        os._exit(0)


if __name__ == "__main__":
    main()
