"""The core over a real process group: three gloo ranks on this machine."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist

from stubs.children import STUBS, in_children

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def on_ranks(name: str, world: int, store: Path, function: Callable[[Any], Any]) -> list[Any]:
    """Run ``function`` with the stub ``name`` on ``world`` gloo ranks."""

    def start(rank: int) -> Callable[[], Any]:
        def inside() -> Any:
            sys.path[:0] = [str(STUBS / name), str(STUBS / "_core")]
            dist.init_process_group(
                "gloo", rank=rank, world_size=world, init_method=store.joinpath("store").as_uri()
            )
            answer = function(importlib.import_module("flashinfer.comm"))
            dist.barrier()  # a rank that left early would cut off those still connecting
            return answer

        return inside

    return in_children([start(rank) for rank in range(world)])


@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
@pytest.mark.parametrize("name", ["v0_6_8", "v0_6_13", "v0_7_4"])
def test_a_subgroup_without_rank_0_sums_its_own_rows(
    tmp_path: Path, name: str, backend: str
) -> None:
    """Ranks 1 and 2 of three hold 10 and 100: each gets 110, whichever way the shape meets."""

    def reduce_rows(comm: Any) -> float:
        rank = dist.get_rank()
        group = dist.new_group([1, 2])
        if rank == 0:
            return 0.0
        base: Any = importlib.import_module("flashinfer.comm.mnnvl").TorchDistBackend

        class Right(base):  # type: ignore[misc]
            """As the stub's, with the broadcast's root as a rank of the group."""

            def bcast(self, data: Any, root: int) -> Any:
                values = [data]
                source = dist.get_global_rank(group, root)
                dist.broadcast_object_list(values, src=source, group=group)
                return values[0]

        takes_group = "group" in comm.create_allreduce_fusion_workspace.__code__.co_varnames
        workspace = comm.create_allreduce_fusion_workspace(
            backend,
            world_size=2,
            rank=rank - 1,
            max_token_num=16,
            hidden_dim=64,
            dtype=torch.float32,
            comm_backend=Right(group),
            **({"group": group} if takes_group else {}),
        )
        reduced = comm.allreduce_fusion(
            input=torch.full((8, 64), 10.0**rank), workspace=workspace, pattern=0
        )
        workspace.destroy()
        return float(reduced[0, 0])

    assert on_ranks(name, 3, tmp_path, reduce_rows) == [0.0, 110.0, 110.0]
