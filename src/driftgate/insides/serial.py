"""Insides as plain JSON containers, and back; what a field defaults to is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftgate.insides.model import Case, Entry, ImportEffect, Insides, Refusal

if TYPE_CHECKING:
    from driftgate.insides.conditions import Path

Json = Any
_TABLES = ("reaches", "peers", "hands", "defaults", "results")
_EFFECTS = ("imports", "calls", "deferred", "generics")


class _Conditions:
    """Conditions by number: the same ones are met again and again on a branch."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def numbers(self, path: Path) -> str:
        return " ".join(str(self.texts.setdefault(text, len(self.texts))) for text in path)


def insides_to_json(insides: Insides) -> Json:
    """Return ``insides`` as containers whose order is the order of the values."""
    effects = {name: [_effect(item) for item in getattr(insides, name)] for name in _EFFECTS}
    entries = {
        name: {
            "params": list(entry.params),
            **({"members": _lists(entry.members)} if entry.members else {}),
            "cases": {branch: _case(case) for branch, case in entry.cases.items()},
        }
        for name, entry in insides.entries.items()
    }
    return {
        "release": insides.release,
        **effects,
        "entries": entries,
        "bodies": insides.bodies,
    }


def insides_from_json(data: Json) -> Insides:
    """Rebuild insides.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: ``data`` does not hold any.
    """
    effects = {name: tuple(ImportEffect(**item) for item in data[name]) for name in _EFFECTS}
    entries = {
        name: Entry(
            tuple(row["params"]),
            {branch: _read_case(case) for branch, case in row["cases"].items()},
            _tuples(row.get("members", {})),
        )
        for name, row in data["entries"].items()
    }
    return Insides(data["release"], entries=entries, bodies=dict(data["bodies"]), **effects)


def _effect(effect: ImportEffect) -> Json:
    row: dict[str, Json] = {"what": effect.what, "module": effect.module}
    return {**row, "guarded": True} if effect.guarded else row


def _case(case: Case) -> Json:
    known = _Conditions()
    row = {
        "refused": case.refused,
        "ignored": list(case.ignored),
        **{name: _lists(getattr(case, name)) for name in _TABLES},
        "refusals": [_refusal(item, known) for item in case.refusals],
        "uses": {
            name: [known.numbers(path) for path in paths] for name, paths in case.uses.items()
        },
        "conditions": list(known.texts),
        "bodies": case.bodies,
        "beneath": list(case.beneath),
        "asks": case.asks,
    }
    return {key: value for key, value in row.items() if value}


def _lists(table: dict[str, tuple[str, ...]]) -> Json:
    return {name: list(texts) for name, texts in table.items()}


def _tuples(table: Json) -> dict[str, tuple[str, ...]]:
    return {name: tuple(texts) for name, texts in table.items()}


def _refusal(refusal: Refusal, known: _Conditions) -> Json:
    row = {
        "where": refusal.where,
        "test": refusal.test,
        "raises": refusal.raises,
        "needs": list(refusal.needs),
        "options": list(refusal.options),
        "hinges": list(refusal.hinges),
        "path": known.numbers(refusal.path),
    }
    return {key: value for key, value in row.items() if value}


def _read_refusal(row: Json, conditions: list[str]) -> Refusal:
    return Refusal(
        row["where"],
        row.get("test", ""),
        row["raises"],
        path=_spelled(row.get("path", ""), conditions),
        **{name: tuple(row.get(name, ())) for name in ("needs", "options", "hinges")},
    )


def _spelled(numbers: str, conditions: list[str]) -> Path:
    return tuple(conditions[int(number)] for number in numbers.split())


def _read_case(row: Json) -> Case:
    conditions = row.get("conditions", [])
    return Case(
        refused=row.get("refused", False),
        ignored=tuple(row.get("ignored", ())),
        refusals=tuple(_read_refusal(item, conditions) for item in row.get("refusals", ())),
        uses={
            name: tuple(_spelled(path, conditions) for path in paths)
            for name, paths in row.get("uses", {}).items()
        },
        beneath=tuple(row.get("beneath", ())),
        bodies=dict(row.get("bodies", {})),
        asks=dict(row.get("asks", {})),
        **{name: _tuples(row.get(name, {})) for name in _TABLES},
    )
