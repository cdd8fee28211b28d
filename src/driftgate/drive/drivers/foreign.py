# ruff: noqa: ANN401 - the module's own functions
"""What the drivers of other projects' modules share: loading, resetting, answers of the engine."""

from __future__ import annotations

import importlib
import inspect
import sys
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from driftgate.drive.standins import Answers, ForeignProject, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from driftgate.drive.drivers.base import Subject
    from driftgate.drive.engine import Coordinator, Engine


@dataclass(frozen=True)
class Machine:
    """What the engine was told about itself and its machine.

    Attributes:
        engine: The pretended process.
        group: The tensor-parallel group.
        backend: The backend that was asked for.
        sm: Compute capability as an int.
        nodes: How many nodes the group spans.
    """

    engine: Engine
    group: Coordinator
    backend: str | None
    sm: int
    nodes: int

    def is_major(self, major: int) -> bool:
        """Whether this is a device of compute capability ``major``.x."""
        return self.sm // 10 == major

    def on_first_node(self) -> list[bool]:
        """For each rank of the group, whether it is on rank 0's node."""
        local = self.group.world_size // self.nodes
        return [rank < local for rank in range(self.group.world_size)]


class ForeignModules:
    """A project's modules in this process, over stand-ins for the rest of it.

    Args:
        subject: The files, the stand-ins and the names of the operations.
        known: The driver's own answers, by name.

    Attributes:
        machine: What is pretended; None before the engine is configured.
    """

    def __init__(self, subject: Subject, known: Mapping[str, Callable[[], Any]]) -> None:
        self.machine: Machine | None = None
        self._subject = subject
        self._parts = [Part.of(path, text) for path, text in subject.files]
        self._project = ForeignProject(self._parts, Answers(subject.standins, {**known, **_COMMON}))
        self._is_fresh = True

    def load(self) -> None:
        """Import the modules."""
        self._project.install()
        for part in self._parts:
            importlib.import_module(part.name)

    def forget(self) -> None:
        """Have the next start import the modules anew, over what the upstream has become."""
        self._is_fresh = False

    def restart(self, machine: Machine) -> None:
        """Have the modules as they were when they were loaded, on this machine."""
        self.machine = machine
        if not self._is_fresh:
            for part in self._parts:
                self._project.exec_module(sys.modules[part.name])
        self._is_fresh = False

    @property
    def here(self) -> Machine:
        """What is pretended."""
        assert self.machine is not None, "configure() comes first"  # noqa: S101 - scripts are ours
        return self.machine

    def offers(self, operation: str) -> bool:
        """Whether the modules have an operation that not every release has."""
        name = self._subject.optional.get(operation)
        return name is not None and self.find(name) is not None

    def operation(self, operation: str) -> Any:
        """Return the function or class that an operation is mapped to; None where there is none."""
        names = {**self._subject.operations, **self._subject.optional}
        return self.find(names[operation])

    def find(self, name: str) -> Any:
        """Return what a module-level name is bound to, or None."""
        modules = (sys.modules.get(part.name) for part in self._parts)
        return next((getattr(each, name) for each in modules if hasattr(each, name)), None)


def call(function: Callable[..., Any], **offered: Any) -> Any:
    """Call ``function`` with those of the arguments that this release of it takes."""
    taken = inspect.signature(function).parameters
    return function(**{name: value for name, value in offered.items() if name in taken})


def _is_flashinfer_there() -> bool:
    return find_spec("flashinfer") is not None


def _absent() -> Any:
    raise AttributeError


def _decorator(*_: Any, **__: Any) -> Callable[[Any], Any]:
    return _as_it_is


def _as_it_is(decorated: Any) -> Any:
    return decorated


def _same(values: Iterable[Any]) -> dict[str, Callable[[], Any]]:
    return {str(value).lower(): partial(_as_it_is, value) for value in values}


# Answers that mean the same in every engine.
_COMMON: dict[str, Callable[[], Any]] = {
    **_same((True, False, None, 0, 1)),
    "absent": _absent,
    "as it is": lambda: _as_it_is,
    "decorator": lambda: _decorator,
    "a class": lambda: type("Foreseen", (), {}),
    "flashinfer is there": _is_flashinfer_there,
}
