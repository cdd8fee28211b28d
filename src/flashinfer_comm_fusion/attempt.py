"""Work that may not come back: done in a thread of its own, which nobody has to wait for."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

Outcome = TypeVar("Outcome")


class Attempt(Generic[Outcome]):
    """One piece of work, begun at once.

    The thread has the caller's CUDA device and default device. It is a daemon, so that work which
    never comes back does not keep the process alive.

    Args:
        work: What to do; it must not raise.
        undo: What becomes of an outcome that nobody waited for.
    """

    def __init__(self, work: Callable[[], Outcome], undo: Callable[[Outcome], object]) -> None:
        self._work = work
        self._undo = undo
        self._lock = threading.Lock()
        self._outcome: Outcome | None = None
        self._is_over = False
        self._is_abandoned = False
        self._started = time.monotonic()
        self._cuda = _current_cuda_device()
        self._device = torch.get_default_device()
        self._thread = threading.Thread(
            target=self._run, name="flashinfer-comm-fusion-creation", daemon=True
        )
        self._thread.start()

    @property
    def seconds(self) -> float:
        """How long ago it began."""
        return time.monotonic() - self._started

    def outcome(self) -> Outcome | None:
        """What came of it; None while it is not over."""
        return self._outcome if self._is_over else None

    def conclude(self) -> Outcome | None:
        """What came of it; None, and it is abandoned from here on, where it is not over."""
        with self._lock:
            self._is_abandoned = not self._is_over
        if self._is_abandoned:
            return None
        self._thread.join()
        return self._outcome

    def _run(self) -> None:
        if self._cuda is not None:
            torch.cuda.set_device(self._cuda)
        with torch.device(self._device):
            outcome = self._work()
        with self._lock:
            self._outcome = outcome
            self._is_over = True
        if self._is_abandoned:
            self._undo(outcome)


def _current_cuda_device() -> int | None:
    is_initialized: Callable[[], bool] = torch.cuda.is_initialized  # which torch leaves untyped
    return torch.cuda.current_device() if is_initialized() else None
