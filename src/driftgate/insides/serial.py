"""Insides as plain JSON containers, and back; what a field defaults to is left out."""

from __future__ import annotations

from typing import Any

from driftgate.insides.model import Case, Entry, ImportEffect, Insides, Refusal

Json = Any
_TABLES = ("reaches", "peers", "hands", "defaults", "results")
_EFFECTS = ("imports", "calls", "deferred", "generics")


def insides_to_json(insides: Insides) -> Json:
    """Return ``insides`` as containers whose order is the order of the values."""
    effects = {name: [_effect(item) for item in getattr(insides, name)] for name in _EFFECTS}
    entries = {
        name: {
            "params": list(entry.params),
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
        )
        for name, row in data["entries"].items()
    }
    return Insides(data["release"], entries=entries, bodies=dict(data["bodies"]), **effects)


def _effect(effect: ImportEffect) -> Json:
    row: dict[str, Json] = {"what": effect.what, "module": effect.module}
    return {**row, "guarded": True} if effect.guarded else row


def _case(case: Case) -> Json:
    row = {
        "refused": case.refused,
        "ignored": list(case.ignored),
        **{name: _lists(getattr(case, name)) for name in _TABLES},
        "refusals": [_refusal(item) for item in case.refusals],
        "bodies": case.bodies,
        "beneath": list(case.beneath),
        "asks": case.asks,
    }
    return {key: value for key, value in row.items() if value}


def _lists(table: dict[str, tuple[str, ...]]) -> Json:
    return {name: list(texts) for name, texts in table.items()}


def _tuples(table: Json) -> dict[str, tuple[str, ...]]:
    return {name: tuple(texts) for name, texts in table.items()}


def _refusal(refusal: Refusal) -> Json:
    row = {
        "where": refusal.where,
        "test": refusal.test,
        "raises": refusal.raises,
        "needs": list(refusal.needs),
        "options": list(refusal.options),
        "mentions": list(refusal.mentions),
    }
    return {key: value for key, value in row.items() if value}


def _read_refusal(row: Json) -> Refusal:
    return Refusal(
        row["where"],
        row.get("test", ""),
        row["raises"],
        **{name: tuple(row.get(name, ())) for name in ("needs", "options", "mentions")},
    )


def _read_case(row: Json) -> Case:
    return Case(
        refused=row.get("refused", False),
        ignored=tuple(row.get("ignored", ())),
        refusals=tuple(_read_refusal(item) for item in row.get("refusals", ())),
        beneath=tuple(row.get("beneath", ())),
        bodies=dict(row.get("bodies", {})),
        asks=dict(row.get("asks", {})),
        **{name: _tuples(row.get(name, {})) for name in _TABLES},
    )
