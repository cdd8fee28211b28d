"""Rules about one release by itself, one file each; the file's name is the contract's id.

A file holds one ``CONTRACT`` and one ``check(seen)`` that yields a breach for each thing that is
wrong. Most read what is recorded of a release, or its sources; those of the wheel tier run it.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from driftgate.contracts.upstream.base import ReleaseRule

# Modules that begin with an underscore are what rules share.
_NOT_RULES = {"base"}


@cache
def upstream_rules() -> dict[str, ReleaseRule]:
    """Return every contract about one release, by id."""
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    rules = {}
    for name in names:
        if name not in _NOT_RULES and not name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{name}")
            rules[name] = ReleaseRule(name, module.CONTRACT, module.check)
    return rules
