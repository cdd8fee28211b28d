"""Which backend is chosen for each SM, node count and rank count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from driftgate.drive.scripts._common import create

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


def run(stage: Stage) -> None:
    """Configure the consumer for each machine, and ask for its backend and a workspace."""
    for row in ROWS:
        args = row._asdict()
        group = stage.engine.new_group(range(row.ranks))
        stage.upstream.pretend(stage.environment, sm=row.sm, nodes=row.nodes)
        stage.step(
            "configure",
            lambda row=row, group=group: stage.driver.configure(
                stage.engine,
                group,
                backend=row.backend,
                sm=row.sm,
                nodes=row.nodes,
                multicast=stage.environment.multicast,
            ),
            **args,
        )
        stage.step("resolve", stage.driver.resolve_backend, **args)
        create(stage, **args)
        stage.step("cleanup", stage.driver.cleanup, **args)
