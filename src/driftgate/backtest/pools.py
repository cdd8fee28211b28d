"""Pools of workers that end soon when a run is interrupted."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

Pool = TypeVar("Pool", bound="Executor")


@contextmanager
def ended_early(pool: Pool) -> Iterator[Pool]:
    """Yield ``pool``; where the block is left by an exception, what has not begun never does.

    By itself a pool first works off all that it was given, which may take minutes.
    """
    with pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
