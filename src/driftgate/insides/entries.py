"""Read the entry points of a release, branch by branch."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.insides.bodies import fingerprint
from driftgate.insides.conditions import weakest
from driftgate.insides.flow import Flow
from driftgate.insides.frames import Frame, FunctionNode, parameters
from driftgate.insides.model import Case, Entry
from driftgate.insides.names import Names
from driftgate.insides.values import Term, Value, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.insides.model import Refusal
    from driftgate.insides.outcome import Outcome
    from driftgate.insides.target import EntryRow, InsidesTarget
    from driftgate.surface.resolve import Found, Resolver


class EntryReader:
    """Reads entries; ``watched`` names functions and classes whose refusals count, too."""

    def __init__(self, resolver: Resolver, target: InsidesTarget, watched: frozenset[str]) -> None:
        self._names = Names(resolver)
        self._target = target
        self._watched = watched

    def entry(self, row: EntryRow) -> Entry | None:
        """Return what ``row`` names, or None where the release does not have it."""
        found = self._names.by_id(row.id)
        if found is None:
            return None
        node: FunctionNode | None = None
        if isinstance(found.node, FunctionNode):
            node = found.node
        elif isinstance(found.node, ast.ClassDef):
            method = self._names.method(found, "__init__")
            node = method[1] if method else None
        if node is None:
            return None
        names = [name for name in parameters(node) if name != "self"]
        outcomes = {
            case: self._read(found, node, names, row, chosen)
            for case, chosen in self._branches(row).items()
        }
        cases = {case: self._case(outcome, names, row) for case, outcome in outcomes.items()}
        if row.choice:
            choice = self._read(found, node, names, row, literal(row.choice))
            known = {_told(item) for case in cases.values() for item in case.refusals}
            chosen = self._case(choice, names, row)
            cases[row.choice] = Case(
                # The rest is what its alternatives say.
                ignored=chosen.ignored,
                refusals=tuple(item for item in chosen.refusals if _told(item) not in known),
                uses=chosen.uses,
                asks=_asked(choice, list(outcomes.values())),
            )
        return Entry(tuple(names), cases, self._members(found, node))

    def _members(self, found: Found, node: FunctionNode) -> dict[str, tuple[str, ...]]:
        """Return what classes hold of which ``node`` spells members, as an enumeration has them."""
        frame = Frame(found.module, {})
        spelled = {
            item.value.id: item.value
            for item in ast.walk(node)
            if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name)
        }
        classes = {name: self._names.definition(spelled[name], frame) for name in sorted(spelled)}
        return {
            name: tuple(_assigned(item.node))
            for name, item in classes.items()
            if item is not None and isinstance(item.node, ast.ClassDef)
        }

    def _branches(self, row: EntryRow) -> dict[str, Value | None]:
        if not row.select:
            return {"": None}
        branches: dict[str, Value | None] = {value: literal(value) for value in row.values}
        for name in row.instances:
            found = self._names.by_id(name)
            if found is not None:
                term = Term(row.select, instance=found.id)
                branches[found.name] = Value(frozenset({term}))
        return branches

    def _read(
        self,
        found: Found,
        node: FunctionNode,
        names: list[str],
        row: EntryRow,
        chosen: Value | None,
    ) -> Outcome:
        params = {name: Value(frozenset({Term(name)}), frozenset({name})) for name in names}
        if chosen is not None and row.select in params:
            params[row.select] = chosen.depending(frozenset({row.select}))
        flow = Flow(self._names, self._target, self._watched, follow=row.follow)
        return flow.entry(found, node, params)

    def _case(self, outcome: Outcome, names: list[str], row: EntryRow) -> Case:
        if not outcome.returns:
            return Case(refused=True)
        watched = {*self._watched, row.id.partition(":")[2]}
        refusals = [item for item in outcome.refusals if item.where in watched]
        used = outcome.forwarded.union({row.select}, *(item.needs for item in refusals))
        return Case(
            ignored=tuple(name for name in names if name not in used),
            reaches={name: tuple(sorted(need)) for name, need in sorted(outcome.reaches.items())},
            peers={name: tuple(sorted(need)) for name, need in sorted(outcome.peers.items())},
            bodies={
                name: fingerprint(found.node) for name, found in sorted(outcome.low_level.items())
            },
            refusals=tuple(refusals),
            beneath=tuple(
                sorted({item.text for item in outcome.refusals if item.where not in watched})
            ),
            hands={name: tuple(sorted(texts)) for name, texts in sorted(outcome.hands.items())},
            uses={
                name: paths
                for name in names
                if (paths := weakest(sorted(outcome.uses.get(name, ()))))
            },
            results={name: tuple(sorted(need)) for name, need in sorted(outcome.results.items())},
            defaults={
                name: tuple(sorted(texts - {name}))
                for name, texts in sorted(outcome.defaults.items())
            },
        )


def _told(refusal: Refusal) -> Refusal:
    """Return what a refusal is on every branch that meets it."""
    return replace(refusal, path=(), hinges=())


def _assigned(node: ast.ClassDef) -> Iterator[str]:
    for child in node.body:
        targets = child.targets if isinstance(child, ast.Assign) else ()
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _asked(choice: Outcome, others: list[Outcome]) -> dict[str, str]:
    """Return the functions that only the choice calls, with a fingerprint of each body."""
    known = {name for outcome in others for name in outcome.called}
    return {
        name: fingerprint(found.node)
        for name, found in sorted(choice.called.items())
        if name not in known
    }
