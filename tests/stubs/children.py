"""Runs a function in a forked child that has one stub on its path and a pretended device."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

if TYPE_CHECKING:
    from collections.abc import Callable

STUBS = Path(__file__).parents[2] / "stubs"
SECONDS = 30  # a child that takes longer hangs


class Child:
    """What a function run in a child may use.

    Attributes:
        comm: The stub's ``flashinfer.comm``.
        core: The stub core.
        group: The tensor-parallel group; None where it is all of WORLD.
        events: Everything the core has emitted, as ``(kind, symbol, data)``.
    """

    def __init__(self, world: int, group: tuple[int, ...], settings: dict[str, Any]) -> None:
        self.comm = self.load("flashinfer.comm")
        self.core = core = self.load("driftgate_stub_core")
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        core.configure(core.Settings(**settings))
        core.subscribe(lambda *event: self.events.append(event))
        dist.init_process_group("fake", rank=group[0], world_size=world, store=FakeStore())
        self.ranks = group
        self.group = None if len(group) == world else dist.new_group(list(group))

    def load(self, module: str) -> Any:
        """Import what is on the path only in the child."""
        return importlib.import_module(module)

    def backend_class(self) -> Any:
        """The stub's ``TorchDistBackend``."""
        return self.load("flashinfer.comm.mnnvl").TorchDistBackend

    def create(self, backend: str, tokens: int, hidden: int, **options: Any) -> Any:
        """Make a workspace the way that is right on every shape with the unified API."""
        parameters = self.comm.create_allreduce_fusion_workspace.__code__.co_varnames
        if self.group is not None and "group" in parameters:
            options.setdefault("group", self.group)
        options.setdefault("comm_backend", self.backend_class()(self.group))
        options.setdefault("dtype", torch.bfloat16)
        options.setdefault("world_size", len(self.ranks))
        return self.comm.create_allreduce_fusion_workspace(
            backend=backend, rank=0, max_token_num=tokens, hidden_dim=hidden, **options
        )

    def seen(self, kind: str) -> list[dict[str, Any]]:
        """The data of the events of one kind."""
        return [data for each, _, data in self.events if each == kind]


class InStub(Protocol):
    """Runs a function in a child, and returns what it returned."""

    def __call__(
        self,
        name: str,
        function: Callable[[Child], Any],
        *,
        world: int = 4,
        group: tuple[int, ...] = (0, 1, 2, 3),
        **settings: Any,
    ) -> Any: ...


def run_in_stub(
    name: str,
    function: Callable[[Child], Any],
    *,
    world: int = 4,
    group: tuple[int, ...] = (0, 1, 2, 3),
    **settings: Any,
) -> Any:
    """Run ``function`` in a child that has the stub ``name``; its result must pickle."""

    def inside() -> Any:
        sys.path[:0] = [str(STUBS / name), str(STUBS / "_core")]
        return function(Child(world, group, settings))

    return in_child(inside)


def outcome(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    """What became of a call: ``ok``, or the exception's type name."""
    try:
        function(*arguments, **options)
    except Exception as error:  # noqa: BLE001 - its type is the answer
        return type(error).__name__
    return "ok"


def in_child(function: Callable[[], Any]) -> Any:
    """Run ``function`` in a forked child; what it raises fails the test."""
    return in_children([function])[0]


def in_children(functions: list[Callable[[], Any]]) -> list[Any]:
    """Run each function in a child of its own, all at once; what one raises fails the test."""
    started = [_start(function) for function in functions]
    return [_finish(*each) for each in started]


def _start(function: Callable[[], Any]) -> tuple[int, int]:
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads: none are used
        child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    signal.alarm(SECONDS)
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


def _finish(child: int, reader: int) -> Any:
    with os.fdopen(reader, "rb") as pipe:
        sent = pipe.read()
    os.waitpid(child, 0)
    assert sent, "the child died or hung"
    how, value = pickle.loads(sent)  # noqa: S301 - our own child wrote it
    assert how == "returned", value
    return value
