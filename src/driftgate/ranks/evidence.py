"""What the ranks of one cell left, as contracts look at it: group by group, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from driftgate.contracts.base import SIZE_CHECK
from driftgate.ranks.seen import HANG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.cases import Case
    from driftgate.ranks.seen import RankTrace
    from driftgate.trace import Event, Status, Step
    from driftgate.upstreams import Upstream

_SITES = ("attention", "moe")


class Members(NamedTuple):
    """The ranks of one group.

    Attributes:
        site: ``attention`` or ``moe``.
        ranks: Their global ranks.
        traces: What each of them left, in that order.
    """

    site: str
    ranks: tuple[int, ...]
    traces: tuple[RankTrace, ...]

    @property
    def name(self) -> str:
        """How reports call it."""
        server = self.traces[0].server
        return f"the {self.site} group {list(self.ranks)}" + (f" of server {server}" * bool(server))


@dataclass(frozen=True)
class RankEvidence:
    """Everything seen in one multirank cell.

    Attributes:
        case: What it was about.
        upstream: What the consumer was run against.
        ranks: A trace for every process.
    """

    case: Case
    upstream: Upstream
    ranks: tuple[RankTrace, ...]

    def groups(self) -> Iterator[Members]:
        """Yield every group of every server."""
        topology = self.case.topology
        by_place = {(trace.server, trace.rank): trace for trace in self.ranks}
        for server in range(topology.servers):
            for site, groups in zip(_SITES, (topology.groups, topology.moe_groups), strict=True):
                for ranks in groups:
                    traces = tuple(by_place[server, rank] for rank in ranks)
                    yield Members(site, ranks, traces)

    def lived(self, members: Members) -> list[RankTrace]:
        """The members that came to their end: neither killed on purpose nor at the limit."""
        return [trace for trace in members.traces if not trace.end]

    def struck(self, trace: RankTrace) -> bool:
        """Whether the cell's trouble happened to this rank."""
        return self.case.strikes(trace.rank)

    def expected_reasons(self, trace: RankTrace) -> tuple[str, ...]:
        """The reason codes that are right on a rank; empty where fusion must be active."""
        return self.case.expected_reasons(trace.rank, self.upstream)

    def final_status(self, trace: RankTrace, site: str) -> Status | None:
        """What a rank said of one of its groups before it cleaned up."""
        said = [
            step.status
            for step in trace.trace.steps
            if step.args.get("site") == site and step.op != "cleanup" and step.status is not None
        ]
        return said[-1] if said else None

    def is_active(self) -> bool:
        """Whether some rank ran a kernel, or says that it would."""
        return any(
            trace.trace.events(kind="kernel")
            or any(
                status.active
                for site in _SITES
                if (status := self.final_status(trace, site)) is not None
            )
            for trace in self.ranks
        )

    def activity(self) -> str:
        """``active``, or ``degraded`` with the reasons that ranks gave."""
        if self.is_active():
            return "active"
        statuses = [self.final_status(trace, "attention") for trace in self.ranks]
        reasons = sorted({status.reason or "unsaid" for status in statuses if status is not None})
        return f"degraded({', '.join(reasons) or 'unsaid'})"

    def backend(self) -> str:
        """The workspaces' backend, or empty."""
        statuses = [self.final_status(trace, "attention") for trace in self.ranks]
        return next((status.backend for status in statuses if status and status.active), "")

    def size_check(self) -> str:
        """Who answered size checks: ``upstream`` wherever it was asked, else ``none``."""
        asked = any(
            event.symbol.endswith(f".{SIZE_CHECK}")
            for trace in self.ranks
            for event in trace.trace.events()
        )
        return "upstream" if asked else "none"

    def hung(self) -> list[RankTrace]:
        """The ranks that were still there at the limit."""
        return [trace for trace in self.ranks if trace.end == HANG]


def site_steps(trace: RankTrace, site: str, *ops: str) -> list[Step]:
    """A rank's steps for one of its groups, in order."""
    return [step for step in trace.steps(*ops) if step.args.get("site") == site]


def site_events(trace: RankTrace, site: str, kind: str) -> list[Event]:
    """What crossed the border in a rank's steps for one of its groups."""
    return [
        event
        for step in trace.trace.steps
        if step.args.get("site") == site
        for event in step.events
        if event.kind == kind
    ]
