"""What a consumer is asked to do, one file a script.

A script is a function ``run(stage)``. With the module constant ``ENDS_BY_SHUTDOWN = True`` its
process ends as an interpreter does, and not by ``_exit``.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from driftgate.errors import UnknownNameError

if TYPE_CHECKING:
    from types import ModuleType

# The scripts that load torch's compiler.
COMPILING = frozenset({"compiled", "compiled_fused"})


def find_script(name: str) -> ModuleType:
    """Return the script's module.

    Raises:
        UnknownNameError: There is no such script.
    """
    names = script_names()
    if name not in names:
        raise UnknownNameError("script", name, names)
    return importlib.import_module(f"{__name__}.{name}")


def script_names() -> tuple[str, ...]:
    """The scripts' names, sorted."""
    return tuple(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")
