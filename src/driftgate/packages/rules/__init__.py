"""Every rule about what is installed together, one file each; the file's name is the rule's id.

A rule file holds one ``RULE`` value and one function ``check(seen)`` that yields a breach for each
thing that is wrong, and raises :class:`~driftgate.packages.errors.CannotTellError` where it has
nothing to judge.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from driftgate.packages.model import Rule


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by its id."""
    found: dict[str, Rule] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        found[info.name] = Rule(info.name, module.RULE, module.check)
    return found
