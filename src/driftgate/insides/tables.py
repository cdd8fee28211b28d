"""Insides as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.insides.model import Case, ImportEffect, Insides
    from driftgate.insides.siblings import Disagreement


def insides_lines(insides: Insides, disagreements: Iterable[Disagreement]) -> Iterator[str]:
    """Yield what a release does inside, and where its sibling classes differ."""
    yield "at import"
    for heading, effects in (
        ("imports", insides.imports),
        ("calls", insides.calls),
        ("subscripts", insides.generics),
    ):
        yield from (f"    {heading} {_effect(effect)}" for effect in effects)
    for name, entry in insides.entries.items():
        for branch, case in entry.cases.items():
            yield f"{name}{f' [{branch}]' if branch else ''}"
            yield from (f"    {line}" for line in _case(case))
    for item in disagreements:
        yield f"siblings of {item.base} differ in {item.method}"
        yield from (f"    {name}({params})" for name, params in item.spellings.items())


def _effect(effect: ImportEffect) -> str:
    return f"{effect.what} in {effect.module}{' (guarded)' if effect.guarded else ''}"


def _case(case: Case) -> Iterator[str]:
    if case.refused:
        yield "cannot be chosen"
    for heading, items in (
        ("reaches", tuple(case.reaches)),
        ("over", tuple(case.peers)),
        ("accepts and ignores", case.ignored),
        ("asks", tuple(case.asks)),
    ):
        if items:
            yield f"{heading} {', '.join(items)}"
    for refusal in case.refusals:
        condition = f" if {refusal.test}" if refusal.test else ""
        yield f"raises {refusal.raises} in {refusal.where}{condition}"
