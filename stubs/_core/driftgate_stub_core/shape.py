"""The shape that a stub folder declares, and its symbols by name."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Callable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_MISSING = object()
_PACKAGE = "flashinfer"


class Shape:
    """One stub folder.

    Attributes:
        folder: Holds ``shape.toml`` and the ``flashinfer`` package.
        base: For an imagined shape, the historic one that it is like but for what it changes.
        version: What ``flashinfer.__version__`` says.
        behaviour: The switches of the core, as ``shape.toml`` sets them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        document = tomllib.loads((folder / "shape.toml").read_text(encoding="utf-8"))
        imagined = f"0+{folder.name.replace('_', '.')}"
        self.version: str = document.get("stands_for", [imagined])[0]
        self.base = (
            _shape_of_folder(folder.parent / document["base"]) if "base" in document else None
        )
        self.behaviour: dict[str, Any] = {
            **(self.base.behaviour if self.base else {}),
            **document.get("behaviour", {}),
        }
        self._symbols: dict[str, Any] = {}

    def find(self, name: str, default: Any = _MISSING) -> Any:
        """The stub's own symbol ``name``, whichever of its modules defines it.

        So numbers that a surface records, such as thresholds, enum values and rank tables, are
        read from the stub: a wrong number in a stub is wrong behaviour.

        Raises:
            LookupError: No loaded module of the stub has it, and there is no ``default``.
        """
        if name not in self._symbols:
            for module in _stub_modules():
                if name in vars(module):
                    self._symbols[name] = vars(module)[name]
                    break
            else:
                if default is not _MISSING:
                    return default
                raise LookupError(f"{self.folder.name}: no loaded module has {name}")
        return self._symbols[name]


def _stub_modules() -> list[ModuleType]:
    """The stub's loaded modules, in the order that they were loaded in.

    Its package was loaded before all of them, so they are looked for from the end: to look through
    all of ``sys.modules`` writes to each name's reference count, in a forked child a page fault each.
    """
    names = []
    for name in reversed(sys.modules):
        if name.partition(".")[0] == _PACKAGE:
            names.append(name)
        if name == _PACKAGE:
            break
    return [sys.modules[name] for name in reversed(names)]


@cache
def _shape_of_folder(folder: Path) -> Shape:
    return Shape(folder)


@cache
def shape(file: str) -> Shape:
    """The shape that the stub module at ``file`` belongs to."""
    for folder in Path(file).resolve().parents:
        if (folder / "shape.toml").is_file():
            return _shape_of_folder(folder)
    raise FileNotFoundError(f"{file}: no shape.toml in any folder above")


def borrow(namespace: dict[str, Any], file: str = "") -> None:
    """Be like the base shape: run its source of the calling module in ``namespace``.

    What the caller defines afterwards replaces what it borrowed. A package also finds the base's
    modules, after its own.

    Args:
        namespace: The calling module's ``globals()``.
        file: Another file of the base's folder for the package that the caller is in.
    """
    own = Path(namespace["__file__"]).resolve()
    imagined = shape(str(own))
    assert imagined.base is not None, f"{imagined.folder.name}/shape.toml names no base"
    lent = imagined.base.folder / own.relative_to(imagined.folder)
    lent = lent.with_name(file) if file else lent
    if "__path__" in namespace and not file:
        namespace["__path__"].append(str(lent.parent))
    exec(compile(lent.read_text(encoding="utf-8"), lent, "exec"), namespace)


def replaces(cls: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put the decorated function on ``cls`` in place of its member of the same name."""

    def replace(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(cls, function.__name__, function)
        return function

    return replace
