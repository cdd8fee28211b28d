"""What is checked on GPUs, as data: each runs in as many processes as it needs devices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One check; its work is the function of :mod:`driftgate.gpu.rank` of that name.

    Attributes:
        id: Its name.
        title: What is true where it passes.
        gpus: Devices that it needs at least; more are used where ``all_gpus`` is set.
        all_gpus: Whether it runs over the largest group that the kernels are built for.
    """

    id: str
    title: str
    gpus: int = 2
    all_gpus: bool = True


CHECKS = (
    Check("imports", "the upstream imports, and is read as its surface says", 1, all_gpus=False),
    Check("kernels_build", "the kernels' module is there, or is built", 1, all_gpus=False),
    Check("one_rank_is_refused", "a group of one rank is off, for that reason", 1, all_gpus=False),
    Check("creates", "each backend that the topology allows is active on every rank"),
    Check("fits_what_is_allocated", "the size check says no more than the allocation holds"),
    Check("is_right", "sum, residual and norm are right within their derived bounds"),
    Check("replays", "a captured graph gives the same numbers when it is replayed"),
    Check("says_nothing", "the upstream logs no warning"),
    Check("gives_back", "a cleanup gives the device memory back"),
    Check("is_worth_it", "time of a fused call as a ratio to NCCL and RMSNorm; no verdict"),
)
