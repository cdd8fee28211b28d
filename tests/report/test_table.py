from __future__ import annotations

from rich.console import Console

from driftgate.cells import Cell, Environment, Tier
from driftgate.findings import ContractResult, Finding, State
from driftgate.report.table import degraded_lines, matrix_table

ENVIRONMENTS = {
    name: Environment(name, "why", "life", faults=faults)
    for name, faults in (("h100", ()), ("b200", ()), ("broken", ("create_raises",)))
}


def verdict(upstream: str, environment: str, activity: str, state: State) -> ContractResult:
    findings = (Finding("group_sent", "group", "no group"),) if state is State.FAIL else ()
    cell = Cell("ours", upstream, Tier.STUB, environment)
    return ContractResult(cell, "group_sent", state, findings, activity=activity)


RESULTS = [
    verdict("stub:a", "h100", "active", State.PASS),
    verdict("stub:a", "b200", "degraded(rendezvous-world)", State.PASS),
    verdict("stub:a", "broken", "degraded(create-failed)", State.PASS),
    verdict("stub:b", "h100", "degraded(no-unified-api)", State.FAIL),
    verdict("stub:c", "b200", "degraded(rendezvous-world)", State.PASS),
]


def printed(width: int) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(matrix_table(RESULTS, ENVIRONMENTS))
    return capture.get().splitlines()


def test_a_row_counts_verdicts_and_says_where_fusion_ran() -> None:
    """Cells with a fault are not counted: fusion is meant to be off there."""
    rows = [line.split() for line in printed(100) if line.startswith("stub:")]

    assert rows == [
        ["stub:a", "3", "active", "1/2"],
        ["stub:b", "fail", "1", "off"],
        ["stub:c", "1", "off"],
    ]


def test_every_reason_is_told_once_with_its_upstreams() -> None:
    """The commonest reason comes first; a fault's own reason is not listed."""
    assert list(degraded_lines(RESULTS, ENVIRONMENTS)) == [
        "degraded(rendezvous-world) in b200: a, c",
        "degraded(no-unified-api) in h100: b",
    ]
