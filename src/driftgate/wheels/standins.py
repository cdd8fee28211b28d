# ruff: noqa: ANN401 - a stand-in takes part in any expression
"""Stand-ins for third-party imports that a release makes and this machine does not have.

A stand-in answers whatever is asked of it at import time (attributes, calls, decorators,
annotations) and means nothing. It is never used for a package that is installed, nor for one
that a release probes for to decide what else to import.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class StandIn:
    """A value that takes part in any expression that import-time code writes.

    Called with one function or class and nothing else, it returns that: it was a decorator.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = StandIn(f"{self.__name__}.{name}")
        # Kept, so that an enum member asked for twice is the same member.
        setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102 - the class says it
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], StandIn):
            return args[0]
        return StandIn(f"{self.__name__}()")

    def __getitem__(self, item: object) -> StandIn:
        return self

    def __or__(self, other: object) -> StandIn:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return f"<stand-in {self.__name__}>"


class StandInModule(ModuleType):
    """A module whose every public attribute is a :class:`StandIn`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = StandIn(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class StandIns(MetaPathFinder, Loader):
    """The finder that answers for packages which no other finder knows.

    Args:
        packages: Top-level packages, or modules of a namespace package (``cuda.tile``), that may
            be stood in for.
    """

    def __init__(self, packages: Iterable[str]) -> None:
        self._packages = frozenset(packages)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answer imports meanwhile, after every other finder."""
        sys.meta_path.append(self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)

    @staticmethod
    def used() -> tuple[str, ...]:
        """Names of the modules that are stood in for now."""
        return tuple(
            sorted(name for name, module in sys.modules.items() if type(module) is StandInModule)
        )

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        """Answer for a package in the list, or for what lies below a stand-in."""
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if fullname in self._packages or type(parent) is StandInModule:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        return StandInModule(spec.name, f"Stand-in for {spec.name}, which is not installed.")

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no content."""


def forget(packages: Iterable[str]) -> None:
    """Remove stand-ins from the import system; modules that hold them keep them.

    torch asks ``import triton`` at run time to decide whether it can compile, and must get the
    true answer.
    """
    roots = tuple(packages)
    for name in StandIns.used():
        if name in roots or name.startswith(tuple(f"{root}." for root in roots)):
            del sys.modules[name]
