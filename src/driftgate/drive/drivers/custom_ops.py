# ruff: noqa: ANN401 - engines' own functions
"""Operators that an engine's helpers register with torch, so that compilers do not look inside."""

from __future__ import annotations

import functools
from itertools import count
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_serial = count()


class CustomOps:
    """Registers functions, each in a namespace of its own: a module may be run more than once."""

    def __init__(self) -> None:
        # An operator lives as long as its library; torch does not type these.
        self._libraries: list[Any] = []
        self._operators: dict[str, Callable[..., Any]] = {}

    def register(
        self,
        op_name: str,
        op_func: Callable[..., Any],
        mutates_args: Sequence[str] = (),
        fake_impl: Callable[..., Any] | None = None,
        **_: Any,
    ) -> Callable[..., Any]:
        """Register a function by name; return the operator, whose signature is the function's."""
        space = f"driftgate_engine_{next(_serial)}"
        make_library: Any = torch.library.Library
        library = make_library(space, "DEF")
        schema = torch.library.infer_schema(op_func, mutates_args=list(mutates_args))
        library.define(f"{op_name}{schema}")
        library.impl(op_name, op_func, "CompositeExplicitAutograd")
        if fake_impl is not None:
            torch.library.register_fake(f"{space}::{op_name}", fake_impl, lib=library)
        self._libraries.append(library)
        packet = getattr(getattr(torch.ops, space), op_name)

        @functools.wraps(op_func)
        def operator(*args: Any, **kwargs: Any) -> Any:
            return packet(*args, **kwargs)

        self._operators[op_name] = operator
        return operator

    def registered(self, function: Any = None, **options: Any) -> Any:
        """Decorate a function with its registration, with options or without."""
        if function is None:
            return functools.partial(self.registered, **options)
        return self.register(options.pop("op_name", None) or function.__name__, function, **options)

    def instead_of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return what an engine calls for a function: the operator, where it was registered."""
        return self._operators.get(function.__name__, function)
