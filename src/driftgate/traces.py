"""Traces kept by the content that they depend on: same bytes in, same trace out."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.digests import digest_of
from driftgate.kept import KeptFolder
from driftgate.trace import Trace

if TYPE_CHECKING:
    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.upstreams import Upstream

_PACKAGE = Path(__file__).parent
# All that decides how a cell is driven and written down; judging may change without a new drive.
_DRIVING = (_PACKAGE / "drive", _PACKAGE / "cells.py", _PACKAGE / "trace.py")


class TraceStore(KeptFolder[Trace]):
    """A folder of traces.

    Args:
        folder: Where they lie; made when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Trace)


def trace_key(consumer: Consumer, upstream: Upstream, environment: Environment) -> str:
    """Return what a cell's trace depends on, as one hash."""
    parts = [pair_key(consumer, upstream), json.dumps(asdict(environment), sort_keys=True)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def pair_key(consumer: Consumer, upstream: Upstream) -> str:
    """Return what the traces of a consumer on an upstream depend on, but for the environment."""
    parts = [
        consumer.content,
        upstream.content,
        digest_of(_DRIVING),
        platform.python_version(),
        _torch_version(),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def _torch_version() -> str:
    return version("torch")
