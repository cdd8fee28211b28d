"""A temporary folder for processes that may be killed, and so leave things in theirs."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def scratch_environment() -> Iterator[dict[str, str]]:
    """Yield this process's variables, but for temporary folders, which lie in one that is removed.

    A process that is killed removes nothing; whoever killed it does, on leaving this context.
    """
    # What is being killed may still write there while it is removed.
    with tempfile.TemporaryDirectory(prefix="driftgate-", ignore_cleanup_errors=True) as folder:
        yield {**os.environ, "TMPDIR": folder}
