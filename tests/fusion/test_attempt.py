from __future__ import annotations

import threading

import torch

from flashinfer_comm_fusion.attempt import Attempt


def test_work_that_is_over_is_had_and_not_undone() -> None:
    undone: list[str] = []
    attempt = Attempt(lambda: "made", undone.append)
    while attempt.outcome() is None:
        pass

    assert (attempt.outcome(), attempt.conclude(), undone) == ("made", "made", [])
    assert not _creating()


def test_work_that_nobody_waits_for_is_undone_when_it_comes_back() -> None:
    go_on, undone = threading.Event(), threading.Event()

    def work() -> str:
        go_on.wait()
        return "made"

    attempt = Attempt(work, lambda made: undone.set() if made == "made" else None)

    assert attempt.outcome() is None
    assert attempt.conclude() is None
    go_on.set()
    assert undone.wait(timeout=60)


def test_it_has_the_callers_default_device() -> None:
    """Thread-local in torch: without it an upstream would allocate elsewhere."""
    with torch.device("meta"):
        attempt = Attempt(lambda: torch.empty(1).device.type, lambda _: None)
        while attempt.outcome() is None:
            pass

    assert attempt.conclude() == "meta"


def _creating() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "fusion" in thread.name]
