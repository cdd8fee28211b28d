"""The contracts' verdicts on two upstreams, the old one as the control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.bump.compare import Pair, compare
from driftgate.bump.model import Verdict
from driftgate.bump.suite import Suite
from driftgate.cells import Cell, Environment, Tier
from driftgate.findings import ContractResult, Finding, State
from driftgate.upstreams import Upstream

if TYPE_CHECKING:
    from driftgate.bump.model import Line

OLD, NEW = "stub:old", "stub:new"
PAIR = [Pair(OLD, NEW)]


def result(
    upstream: str,
    state: State = State.PASS,
    symbol: str = "f",
    activity: str = "active",
    environment: str = "h100",
    backend: str = "",
) -> ContractResult:
    """A verdict of ``trigger_sent``."""
    cell = Cell("ours", upstream, Tier.STUB, environment)
    broken = state in (State.FAIL, State.XFAIL)
    findings = (Finding("trigger_sent", "sent", "left out", symbol, "engine.py:3"),)
    return ContractResult(
        cell, "trigger_sent", state, findings if broken else (), "died", activity, backend
    )


def outcome(
    *results: ContractResult, degraded: dict[str, str] | None = None
) -> tuple[list[Line], list[Line]]:
    """What breaks or changes, and what was so already."""
    upstreams = {
        OLD: Upstream(OLD, Tier.STUB, degraded=degraded or {}),
        NEW: Upstream(NEW, Tier.STUB),
    }
    environments = {
        name: Environment(name, "a test", "life", faults=faults)
        for name, faults in (("h100", ()), ("b200", ()), ("faulty", ("create_raises",)))
    }
    return compare(Suite(results, (), upstreams, environments), PAIR)


def test_broken_only_with_the_new_release() -> None:
    """That is a change, at the call site, and it says what is wrong."""
    [line], already = outcome(result(OLD), result(NEW, State.FAIL))

    assert (line.verdict, line.kind, line.sites) == (
        Verdict.CHANGE,
        "trigger_sent",
        ("engine.py:3",),
    )
    assert (line.changes[0].old, line.changes[0].new) == ("sent", "left out")
    assert already == []


def test_broken_with_both() -> None:
    """The bump is not to blame."""
    broken, [line] = outcome(result(OLD, State.FAIL), result(NEW, State.FAIL))

    assert broken == []
    assert line.kind == "trigger_sent"


def test_broken_with_both_in_another_symbol() -> None:
    """Another breach of the same contract is a new one."""
    broken, _ = outcome(result(OLD, State.FAIL, "g"), result(NEW, State.FAIL, "f"))

    assert [line.symbol for line in broken] == ["f"]


def test_expected_in_the_old_release() -> None:
    """A breach that a row expects is one that was so already."""
    broken, already = outcome(result(OLD, State.XFAIL), result(NEW, State.FAIL))

    assert (len(broken), len(already)) == (0, 1)


def test_crash() -> None:
    """A process that dies with the new release is a change."""
    broken, _ = outcome(result(OLD), result(NEW, State.ERROR))

    assert [(line.verdict, line.changes[0].new) for line in broken] == [(Verdict.CHANGE, "died")]


def test_same_breach_in_two_environments_is_one_line() -> None:
    """It is told once, with both."""
    [line], _ = outcome(
        result(NEW, State.FAIL), result(NEW, State.FAIL, environment="b200"), result(OLD)
    )

    assert line.changes[0].where == "h100, b200"


def test_fusion_goes_off() -> None:
    """Nothing fails, and yet it is not green."""
    [line], _ = outcome(result(OLD), result(NEW, activity="degraded(rendezvous-world)"))

    assert (line.verdict, line.kind) == (Verdict.CHANGE, "goes-off")


def test_fusion_goes_on() -> None:
    """Kernels run that did not: only a device shows how."""
    [line], _ = outcome(result(NEW), degraded={"*": "no-unified-api"})

    assert (line.verdict, line.kind) == (Verdict.GPU, "goes-on")
    assert line.changes[0].old == "degraded(no-unified-api)"


def test_another_backend() -> None:
    """So it is with other kernels."""
    [line], _ = outcome(result(OLD, backend="trtllm"), result(NEW, backend="mnnvl"))

    assert (line.verdict, line.kind) == (Verdict.GPU, "other-backend")


def test_fusion_off_by_a_fault_is_no_news() -> None:
    """Where the environment breaks the upstream on purpose, states are not compared."""
    lines, _ = outcome(
        result(OLD, environment="faulty"),
        result(NEW, environment="faulty", activity="degraded(create-failed)"),
    )

    assert lines == []
