"""Which backend is chosen for each SM, node count and rank count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driftgate.drive.scripts._common import configure, create

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


class Row(NamedTuple):
    """One machine: compute capability, nodes, ranks, and the backend asked for."""

    sm: int
    nodes: int
    ranks: int
    backend: str | None


ROWS = (
    Row(90, 1, 8, "auto"),
    Row(100, 1, 8, "auto"),
    Row(103, 1, 8, "auto"),
    Row(100, 2, 16, "auto"),
    Row(90, 2, 16, "auto"),
    Row(90, 2, 8, "auto"),
    Row(120, 1, 8, "auto"),
    Row(80, 1, 8, "auto"),
    Row(90, 2, 16, "trtllm"),
    Row(90, 1, 8, "mnnvl"),
    Row(90, 1, 3, "trtllm"),
    Row(90, 1, 6, "trtllm"),
    Row(90, 1, 8, "no-such-backend"),
    Row(90, 1, 8, None),
    Row(90, 1, 1, "auto"),
)
# Where these get a backend, `life` shows that a workspace can be had.
_COMMON_RANKS = (8, 16)


def run(stage: Stage) -> None:
    """Ask for each machine's backend and, where there should be none, for a workspace."""
    by_name = "named_backend" not in stage.driver.lacks
    for row in ROWS:
        if row.backend != "auto" and not by_name:
            continue
        group = stage.engine.new_group(range(row.ranks))
        configure(stage, group, backend=row.backend, sm=row.sm, nodes=row.nodes)
        args = row._asdict()
        backend = stage.step("resolve", stage.driver.resolve_backend, **args)
        if backend is None or row.ranks not in _COMMON_RANKS:
            create(stage, **args)
            stage.step("cleanup", stage.driver.cleanup, **args)
