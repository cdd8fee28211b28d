from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="The size check with a hint foresees how the call with it ends",
    why=(
        "Two-shot has no part for some ranks where tokens are few; the check says yes, the "
        "call asserts"
    ),
    severity=Severity.CRASH,
    incidents=("I62",),
    exercises=("forced_strategies",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the check with the hint and the call with the hint."""
    for call in seen.played("forced_strategies")["calls"]:
        fits, works = call["fits with the hint"], call["outcome"] == "ok"
        if fits and not works and seen.counts(call["backend"]):
            hint = f"use_oneshot={call['use_oneshot']}"
            expected = f"{call['backend']}: {call['tokens']} tokens with {hint} work, or do not fit"
            yield Breach(expected, f"{call['outcome']}: {call['text']}", FUSION)
