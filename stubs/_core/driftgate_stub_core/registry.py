"""Finds the behaviour that a stub's symbol delegates to."""

from __future__ import annotations

import sys
from typing import Any, Callable, TypeVar

from driftgate_stub_core.shape import Shape

Behaviour = TypeVar("Behaviour", bound=Callable[..., Any])

_behaviours: dict[str, Callable[..., Any]] = {}
_shapes: dict[type, Shape] = {}


def implements(symbol: str) -> Callable[[Behaviour], Behaviour]:
    """Register the decorated function as what ``symbol`` does in every shape.

    It is called with the shape, for methods the instance, and the bound arguments by keyword; it
    gives defaults to parameters that not every shape has.
    """

    def register(function: Behaviour) -> Behaviour:
        _behaviours[symbol] = function
        return function

    return register


def call(symbol: str, shape: Shape, arguments: dict[str, Any]) -> Any:
    """What the function or static method ``symbol`` does, given its bound ``arguments``."""
    return _behaviour(symbol)(shape, **arguments)


def method(symbol: str, instance: Any, arguments: dict[str, Any]) -> Any:
    """What the method ``symbol`` (``Class.name``) does; ``arguments`` are the stub's locals."""
    bound = {name: value for name, value in arguments.items() if name not in ("self", "__class__")}
    return _behaviour(symbol)(_shape_of(symbol, instance), instance, **bound)


def remember(instance: Any) -> None:
    """Keep the shapes of an instance's classes, for a finaliser that runs without the modules."""
    for cls in type(instance).__mro__:
        shape = getattr(sys.modules[cls.__module__], "SHAPE", None)
        if shape is not None:
            _shapes[cls] = shape


def _behaviour(symbol: str) -> Callable[..., Any]:
    if symbol not in _behaviours:
        raise NotImplementedError(f"the stub core does not imitate {symbol}")
    return _behaviours[symbol]


def _shape_of(symbol: str, instance: Any) -> Shape:
    """The shape of the stub class named in ``symbol``; ``instance`` may be of a subclass."""
    class_name = symbol.partition(".")[0]
    for cls in type(instance).__mro__:
        if cls.__name__ == class_name:
            found: Shape = _shapes.get(cls) or sys.modules[cls.__module__].SHAPE
            return found
    raise TypeError(f"{type(instance).__qualname__} is no {class_name}")
