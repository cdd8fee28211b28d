"""Every rule that a cell must keep, one file each; the file's name is the contract's id.

A contract file holds one ``CONTRACT`` value and one function ``check(seen)`` that yields a breach
for each thing that is wrong. It judges a trace and runs nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from driftgate.contracts.base import Rule

_NOT_RULES = {"base"}


@cache
def all_rules() -> dict[str, Rule]:
    """Return every contract by id, by family and then by id."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name not in _NOT_RULES]
    rules = []
    for name in names:
        module = importlib.import_module(f"{__name__}.{name}")
        rules.append(Rule(name, module.CONTRACT, module.check))
    rules.sort(key=lambda rule: (rule.contract.family.order, rule.id))
    return {rule.id: rule for rule in rules}
