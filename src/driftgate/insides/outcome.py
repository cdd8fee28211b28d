"""What reading an entry on one branch gathers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftgate.insides.conditions import Path
    from driftgate.insides.model import Refusal
    from driftgate.surface.resolve import Found


@dataclass
class Outcome:
    """What reading an entry on one branch found.

    Attributes:
        reaches: Low-level symbols, each with what a caller must give for it.
        peers: What they rendezvous over, likewise.
        low_level: Definitions of those that the package itself defines.
        refusals: Where it raises: itself, or a constructor or watched function that it reaches.
        called: Functions and classes of the package that the entry calls itself.
        forwarded: Parameters that reach a call of the entry, or decide about one.
        hands: What it hands to these, by ``callee(parameter)``.
        returns: Whether the entry can return.
        defaults: What the entry lets a parameter be whose default is None.
        uses: When each parameter reaches a call of the entry, or what it returns.
        results: What the entry returns, each with what a caller must give for it.
    """

    reaches: dict[str, frozenset[str]] = field(default_factory=dict)
    peers: dict[str, frozenset[str]] = field(default_factory=dict)
    low_level: dict[str, Found] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    called: dict[str, Found] = field(default_factory=dict)
    forwarded: set[str] = field(default_factory=set)
    hands: dict[str, set[str]] = field(default_factory=dict)
    returns: bool = False
    defaults: dict[str, set[str]] = field(default_factory=dict)
    uses: dict[str, set[Path]] = field(default_factory=dict)
    results: dict[str, frozenset[str]] = field(default_factory=dict)
