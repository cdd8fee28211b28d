"""Differences between two surfaces, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Level(str, Enum):
    """What a difference does to a consumer that worked before.

    Worst first. ``BREAKING``: it can fail or mean something else. ``DANGEROUS``: the same call
    does something else, and only a run on the devices meant can tell whether that works.
    ``SAFE_BY_KEYWORD``: only a caller that passes the argument by position, or leaves it out,
    notices. ``ADDITIVE``: nothing that worked changes. ``COSMETIC``: spelling.
    """

    BREAKING = "breaking"
    DANGEROUS = "dangerous"
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
    # Insides and requirements
    IMPORT_MADE_MANDATORY = "import-made-mandatory"
    IMPORT_MADE_OPTIONAL = "import-made-optional"
    IMPORT_FAILS = "import-fails"
    IMPORT_MENDED = "import-mended"
    CALL_AT_IMPORT_ADDED = "call-at-import-added"
    CALL_AT_IMPORT_REMOVED = "call-at-import-removed"
    CALL_DEFERRED = "call-deferred"
    BRANCH_ADDED = "branch-added"
    BRANCH_REMOVED = "branch-removed"
    LOW_LEVEL_CHANGED = "low-level-changed"
    LOW_LEVEL_EDITED = "low-level-edited"
    PEERS_CHANGED = "peers-changed"
    CHOICE_CHANGED = "choice-changed"
    REFUSAL_ADDED = "refusal-added"
    REFUSAL_CHANGED = "refusal-changed"
    REFUSAL_REMOVED = "refusal-removed"
    ARGUMENT_CHANGED = "argument-changed"
    BODY_EDITED = "body-edited"
    RESULT_CHANGED = "result-changed"
    PARAM_IGNORED = "param-ignored"
    PARAM_HONOURED = "param-honoured"
    SIBLINGS_DIFFER = "siblings-differ"
    SIBLINGS_AGREE = "siblings-agree"
    REQUIREMENT_ADDED = "requirement-added"
    REQUIREMENT_REMOVED = "requirement-removed"
    REQUIREMENT_CHANGED = "requirement-changed"
    REQUIRES_PYTHON_CHANGED = "requires-python-changed"


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes:
        kind: What differs.
        level: What it does to a consumer.
        symbol: The watched symbol's id.
        where: The member, parameter or both within it, ``is_buffer_size_sufficient(strategy)``,
            behind the branches of an entry that it concerns, ``[trtllm, mnnvl](group)``; empty
            for the symbol itself.
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
