"""The behaviour behind every stub of ``flashinfer.comm``; the stub folders hold only shapes.

A stub's functions hand their bound arguments to :func:`call` or :func:`method`; what happens then
is written once, here, and switched by the folder's ``shape.toml`` where releases behave
differently under equal signatures. A test harness decides what the pretended device is
(:func:`configure`), listens in (:func:`subscribe`) and asks what is left (:func:`live_handles`).
"""

from __future__ import annotations

from driftgate_stub_core import (  # registers what stubs delegate to
    comm_backends as _comm_backends,
    cutedsl as _cutedsl,
    lifecycle as _lifecycle,
    memory as _memory,
    mnnvl as _mnnvl,
    symmetric_memory as _symmetric_memory,
    trtllm as _trtllm,
    trtllm_kernel as _trtllm_kernel,
    unified as _unified,
)
from driftgate_stub_core.decorators import deprecated, flashinfer_api
from driftgate_stub_core.events import subscribe
from driftgate_stub_core.memory import live_handles
from driftgate_stub_core.mnnvl import strategy
from driftgate_stub_core.registry import call, method
from driftgate_stub_core.settings import Settings, configure
from driftgate_stub_core.shape import Shape, borrow, replaces, shape

__all__ = [
    "Settings",
    "Shape",
    "borrow",
    "call",
    "configure",
    "deprecated",
    "flashinfer_api",
    "live_handles",
    "method",
    "replaces",
    "shape",
    "strategy",
    "subscribe",
]
