"""Agreement between ranks: fusion runs on all ranks of a group or on none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from flashinfer_comm_fusion.status import logger

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def all_agree(ballot: bool, cpu_group: ProcessGroup | None) -> bool:
    """Vote; True only if every rank of the group votes True.

    A collective over ``cpu_group``: every rank must come here the same number of times, whatever
    happened to it locally. A vote that cannot be held is lost on this rank, and the ranks that
    wait for it lose it when the group's own time limit is over.

    Args:
        ballot: This rank's vote.
        cpu_group: The group's CPU backend; None: this rank decides alone.
    """
    if cpu_group is None:
        return ballot
    # An engine may be inside a `with torch.device(...)`: the vote stays on the CPU.
    box = torch.tensor([int(ballot)], dtype=torch.int32, device="cpu")
    try:
        dist.all_reduce(box, op=dist.ReduceOp.MIN, group=cpu_group)
    except Exception:  # noqa: BLE001 - a lost peer, a time limit: the vote is lost, whatever it was
        logger.exception("the ranks could not vote on all-reduce fusion")
        return False
    return bool(box.item())
