from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="What the size check accepts without a hint, one-shot takes too",
    why=(
        "An engine that forces a strategy by its own table fails at graph capture, size "
        "check passed"
    ),
    severity=Severity.CRASH,
    incidents=("I52",),
    exercises=("forced_strategies",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every one-shot call that fits by the unhinted check."""
    for call in seen.played("forced_strategies")["calls"]:
        if (
            call["use_oneshot"]
            and call["fits"]
            and call["outcome"] != "ok"
            and seen.counts(call["backend"])
        ):
            expected = f"{call['backend']}: {call['tokens']} tokens fit, so one-shot takes them"
            yield Breach(expected, f"{call['outcome']}: {call['text']}", FUSION)
