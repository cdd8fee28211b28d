"""Several real ranks over gloo, forked from the test process, with a hard time limit."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import traceback
import warnings
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore

if TYPE_CHECKING:
    from collections.abc import Callable

KILLED = "killed"  # the answer of a child that killed itself
SECONDS = 300  # a child that takes longer hangs


def run_ranks(world_size: int, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Run ``function(rank, *arguments)`` on every rank; what one raises fails the test.

    Args:
        world_size: Ranks.
        function: What each of them does; its answer must pickle.
        arguments: For all of them.

    Returns:
        The answers, by rank.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"

        def rank_of(rank: int) -> Callable[[], Any]:
            def inside() -> Any:
                dist.init_process_group(
                    "gloo",
                    store=FileStore(str(store), world_size),
                    rank=rank,
                    world_size=world_size,
                    timeout=timedelta(seconds=60),
                )
                return function(rank, *arguments)

            return inside

        children = [start(rank_of(rank)) for rank in range(world_size)]
        return [finish(*child) for child in children]


def start(function: Callable[[], Any]) -> tuple[int, int]:
    """Fork a child that answers what ``function`` returns."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Forking with threads: torch runs none before its first large operation.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child != 0:
        os.close(writer)
        return child, reader
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    os.close(reader)
    torch.set_num_threads(1)
    # The releases' unified API calls functions that they have deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        answer = ("returned", function())
    except BaseException:  # noqa: BLE001 - the parent reports it
        answer = ("raised", traceback.format_exc())
    with os.fdopen(writer, "wb") as pipe:
        pickle.dump(answer, pipe)
    os._exit(0)


def finish(child: int, reader: int) -> Any:
    """Wait for a child and give its answer."""
    with os.fdopen(reader, "rb") as pipe:
        sent = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return KILLED
    assert sent, "the child died, or hung and was killed"
    how, value = pickle.loads(sent)  # noqa: S301 - our own child wrote it
    assert how == "returned", value
    return value
