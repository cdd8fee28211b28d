"""Every rule that a cell must keep, one file each; the file's name is the contract's id.

A contract file holds one ``CONTRACT`` value and one function ``check(seen)`` that yields a breach
for each thing that is wrong. It judges a trace and runs nothing. Those in ``ranks/`` judge the
traces of all ranks of a cell together, those in ``upstream/`` one release by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from driftgate.contracts import ranks
from driftgate.contracts.base import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOT_RULES = {"base", "ranks", "upstream"}


@cache
def all_rules() -> dict[str, Rule]:
    """Return every contract about one process, by family and then by id."""
    return _rules_in(__name__, __path__)


@cache
def rank_rules() -> dict[str, Rule]:
    """Return every contract about several ranks, by family and then by id."""
    return _rules_in(ranks.__name__, ranks.__path__)


def find_rule(contract: str) -> Rule:
    """Return the contract of that id, whatever it is about."""
    return all_rules().get(contract) or rank_rules()[contract]


def _rules_in(package: str, path: Iterable[str]) -> dict[str, Rule]:
    names = [info.name for info in pkgutil.iter_modules(path) if info.name not in _NOT_RULES]
    rules = []
    for name in names:
        module = importlib.import_module(f"{package}.{name}")
        rules.append(Rule(name, module.CONTRACT, module.check))
    rules.sort(key=lambda rule: (rule.contract.family.order, rule.id))
    return {rule.id: rule for rule in rules}
