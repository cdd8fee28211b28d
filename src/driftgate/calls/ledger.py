"""Collects what is seen while a consumer's source is followed, and joins what is seen twice."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from driftgate.calls.conditions import (
    NEVER,
    Condition,
    Term,
    any_of,
    describe,
)
from driftgate.calls.model import Call, Mention, SentKeyword, Usage

if TYPE_CHECKING:
    from driftgate.calls.model import Site

IMPORT, READ, SUBCLASS, PATCH = "import", "read", "subclass", "patch"


class Ledger:
    """One record per place, however many callers lead there.

    A function is followed once for each caller, so a call inside it is seen with each caller's
    arguments. Only what every caller sends is always sent.
    """

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[Site, str], list[Call]] = defaultdict(list)
        self._mentions: defaultdict[tuple[str, Site, str], list[Mention]] = defaultdict(list)

    def call(self, call: Call) -> None:
        """Record a call as one caller leads to it."""
        self._calls[call.site, call.symbol].append(call)

    def mention(self, kind: str, mention: Mention) -> None:
        """Record a name of the upstream that is relied on without a call."""
        self._mentions[kind, mention.site, mention.symbol].append(mention)

    def usage(self) -> Usage:
        """Return all records, joined."""
        calls = sorted(
            (_join_calls(seen) for seen in self._calls.values()),
            key=lambda call: (call.site, call.symbol),
        )
        return Usage(
            calls=tuple(calls),
            imports=self._of(IMPORT),
            reads=self._of(READ),
            subclasses=self._of(SUBCLASS),
            patches=self._of(PATCH),
        )

    def _of(self, kind: str) -> tuple[Mention, ...]:
        joined = [
            Mention(
                symbol,
                site,
                any_of(*(mention.when for mention in seen)),
                all(mention.probed for mention in seen),
            )
            for (of, site, symbol), seen in self._mentions.items()
            if of == kind
        ]
        return tuple(sorted(joined, key=lambda mention: (mention.site, mention.symbol)))


def _join_calls(seen: list[Call]) -> Call:
    names = dict.fromkeys(keyword.name for call in seen for keyword in call.keywords)
    return Call(
        symbol=seen[0].symbol,
        site=seen[0].site,
        positional=max(call.positional for call in seen),
        keywords=tuple(SentKeyword(name, _join_when(name, seen)) for name in names),
        unresolved=tuple(dict.fromkeys(text for call in seen for text in call.unresolved)),
        when=any_of(*(call.when for call in seen)),
    )


def _join_when(name: str, seen: list[Call]) -> Condition:
    sent = [call.keyword(name) for call in seen]
    whens = list(dict.fromkeys(NEVER if one is None else one.when for one in sent))
    if len(whens) == 1:
        return whens[0]
    some = any_of(*whens)
    texts = dict.fromkeys(describe(when) for when in whens if when.possible and when.terms)
    text = " or ".join(texts) or "depends on the caller"
    return Condition((Term(text, some.needs),))
