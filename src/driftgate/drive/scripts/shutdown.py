"""The interpreter ends while a workspace is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, create

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

ENDS_BY_SHUTDOWN = True


def run(stage: Stage) -> None:
    """Create a workspace and leave."""
    if begin(stage):
        create(stage)
