"""Differences between two surfaces, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Level(str, Enum):
    """What a difference does to a consumer that worked before.

    ``BREAKING``: it can fail or mean something else. ``SAFE_BY_KEYWORD``: only a caller that
    passes the argument by position, or leaves it out, notices. ``ADDITIVE``: nothing that worked
    changes. ``COSMETIC``: spelling.
    """

    BREAKING = "breaking"
    SAFE_BY_KEYWORD = "safe-by-keyword"
    ADDITIVE = "additive"
    COSMETIC = "cosmetic"


class Kind(str, Enum):
    """What differs."""

    SYMBOL_ADDED = "symbol-added"
    SYMBOL_REMOVED = "symbol-removed"
    SYMBOL_MOVED = "symbol-moved"
    SYMBOL_RETYPED = "symbol-retyped"
    GUARD_CHANGED = "guard-changed"
    ANNOTATIONS_POSTPONED = "annotations-postponed"
    PARAM_INSERTED = "param-inserted"
    PARAM_APPENDED = "param-appended"
    PARAM_KEYWORD_ADDED = "param-keyword-added"
    PARAM_REQUIRED_ADDED = "param-required-added"
    PARAM_REMOVED = "param-removed"
    PARAMS_REORDERED = "params-reordered"
    PARAM_KIND_CHANGED = "param-kind-changed"
    DEFAULT_CHANGED = "default-changed"
    DEFAULT_ADDED = "default-added"
    DEFAULT_REMOVED = "default-removed"
    ANNOTATION_CHANGED = "annotation-changed"
    RETURN_CHANGED = "return-changed"
    DECORATORS_CHANGED = "decorators-changed"
    BASES_CHANGED = "bases-changed"
    MEMBER_ADDED = "member-added"
    MEMBER_REMOVED = "member-removed"
    VALUE_CHANGED = "value-changed"


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes:
        kind: What differs.
        level: What it does to a consumer.
        symbol: The watched symbol's id.
        where: The member, parameter or both within it, ``is_buffer_size_sufficient(strategy)``;
            empty for the symbol itself.
        old: Before, as source text; None where there was nothing.
        new: After; None where there is nothing.
        note: What old and new do not say, such as a parameter's place.
    """

    kind: Kind
    level: Level
    symbol: str
    where: str = ""
    old: str | None = None
    new: str | None = None
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**asdict(self), "kind": self.kind.value, "level": self.level.value}
