"""What becomes of waiting work where a run ends early."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from driftgate.backtest.pools import ended_early


def test_what_has_not_begun_never_does() -> None:
    """The first task holds the only worker until the block is being left."""
    begun: list[int] = []
    leaving = threading.Event()

    def work(number: int) -> None:
        begun.append(number)
        leaving.wait(10)

    class Leaving(ThreadPoolExecutor):
        def shutdown(  # its executor also takes `wait` by position
            self,
            wait: bool = True,
            *,
            cancel_futures: bool = False,
        ) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            leaving.set()
            super().shutdown(wait=wait)

    futures: list[Future[None]] = []

    def run() -> None:
        with ended_early(Leaving(1)) as pool:
            futures.extend(pool.submit(work, number) for number in range(5))
            raise SystemExit(143)

    with pytest.raises(SystemExit):
        run()

    assert begun in ([], [0])
    assert all(future.cancelled() for future in futures[1:])


def test_a_block_that_ends_has_all_done() -> None:
    """Nothing is dropped without an exception."""
    with ended_early(ThreadPoolExecutor(1)) as pool:
        futures = [pool.submit(int, "1") for _ in range(5)]

    assert [future.result() for future in futures] == [1] * 5
