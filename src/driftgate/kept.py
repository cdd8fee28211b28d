"""Keep what can be worked out again: to lose it costs time, and no run fails for it."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

from driftgate.surface.store import write_whole

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def keep(file: Path, text: str) -> None:
    """Write ``text``, whole or not at all; where that cannot be, say so once a folder."""
    try:
        write_whole(file, text)
    except OSError as error:
        _warn(file.parent, error.strerror or "unwritable")


@cache
def _warn(folder: Path, problem: str) -> None:
    logger.warning("driftgate: nothing is kept in %s for the next run (%s)", folder, problem)
