"""What a contract is made of, and the evidence that it judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from driftgate.cells import Tier
from driftgate.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.cells import Environment
    from driftgate.trace import Event, Json, Step, Trace
    from driftgate.upstreams import Upstream

CREATE = "create_allreduce_fusion_workspace"
FUSION = "allreduce_fusion"
LEGACY = ("trtllm_create_ipc_workspace_for_all_reduce_fusion", "trtllm_allreduce_fusion")
SIZE_CHECK = "is_buffer_size_sufficient"
# Relative to the largest value: a few steps of bfloat16; a lost reduction is off by far more.
TOLERANCE = 2e-2
_UPSTREAM_LOGGER = "flashinfer"
_CAPACITY_KEYS = {"max_token_num", "hidden_dim", "tp_size", "use_fp32_lamport"}


class Family(str, Enum):
    """What a contract is about; the columns of the report, in this order."""

    IMPORT = "import"
    KEYWORDS = "keywords"
    DIALECT = "dialect"
    FASTPATH = "fastpath"
    LOGNOISE = "lognoise"
    LIFECYCLE = "lifecycle"
    TOPOLOGY = "topology"
    NUMERICS = "numerics"
    STATUS = "status"
    COMPILE = "compile"
    AGREEMENT = "agreement"
    LIVENESS = "liveness"

    @property
    def order(self) -> int:
        """Place among the columns."""
        return list(Family).index(self)


class Severity(str, Enum):
    """What a breach does to a running engine, worst first."""

    WRONG_RESULT = "wrong result"
    HANG = "hang"
    CRASH = "crash"
    LEAK = "leak"
    SILENT_FALLBACK = "silent fallback"
    NOISE = "noise"


@dataclass(frozen=True)
class Contract:
    """One rule, as data.

    Attributes:
        title: The rule, as a sentence that is true where it is kept.
        why: What happens where it is broken.
        severity: How bad that is.
        family: What it is about.
        environments: Patterns of the environments it is judged in.
        incidents: Ids of the public bug reports that it stands for.
        needs_active: Whether it says nothing where fusion is off.
        needs: Operations, by the driver's names, without which a consumer shows nothing of it.
        tiers: Where its evidence can come from.
    """

    title: str
    why: str
    severity: Severity
    family: Family
    environments: tuple[str, ...]
    incidents: tuple[str, ...] = ()
    needs_active: bool = False
    needs: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = (Tier.STUB, Tier.WHEEL)

    def applies_to(self, environment: Environment) -> bool:
        """Whether the contract is judged in this environment."""
        return any(fnmatchcase(environment.id, pattern) for pattern in self.environments)


@dataclass(frozen=True)
class Breach:
    """One thing that is wrong; a :class:`~driftgate.findings.Finding` without its contract."""

    expected: str
    got: str
    symbol: str = ""
    site: str = ""


@dataclass(frozen=True)
class Evidence:
    """What was seen in one cell, and what was pretended there.

    Attributes:
        trace: Everything seen.
        environment: The pretended machine and engine.
        upstream: What the consumer was run against.
    """

    trace: Trace
    environment: Environment
    upstream: Upstream

    def steps(self, *ops: str) -> list[Step]:
        """The steps with one of these names, in order; all of them for no name."""
        if len(ops) == 1:
            return self._by_op.get(ops[0], [])
        return [step for step in self.trace.steps if not ops or step.op in ops]

    @cached_property
    def _by_op(self) -> dict[str, list[Step]]:
        steps: dict[str, list[Step]] = {}
        for step in self.trace.steps:
            steps.setdefault(step.op, []).append(step)
        return steps

    def calls(self, symbol: str) -> list[Event]:
        """The calls of one function, or of one method whatever its class."""
        return self._by_symbol.get(symbol, [])

    @cached_property
    def _by_symbol(self) -> dict[str, list[Event]]:
        """Calls by their symbol, and those of methods by their name alone too."""
        calls: dict[str, list[Event]] = {}
        for event in self.trace.events():
            for name in {event.symbol, event.symbol.rpartition(".")[2]}:
                calls.setdefault(name, []).append(event)
        return calls

    def parameters(self, symbol: str) -> dict[str, str] | None:
        """Kind by name of a watched symbol's parameters; None where they cannot be seen."""
        signatures: dict[str, dict[str, str]] = self._facts()["signatures"]
        kinds = signatures.get(symbol)
        return None if kinds is None or "VAR_KEYWORD" in kinds.values() else kinds

    def takes(self, symbol: str, parameter: str) -> bool:
        """Whether a consumer can see that ``symbol`` takes ``parameter``."""
        return parameter in (self.parameters(symbol) or ())

    def lacks(self, symbol: str, parameter: str) -> bool:
        """Whether a consumer can see that ``symbol`` does not take ``parameter``."""
        kinds = self.parameters(symbol)
        return kinds is not None and parameter not in kinds

    def watches(self, method: str) -> bool:
        """Whether some workspace class has this method, with a readable signature."""
        return any(name.endswith(f".{method}") for name in self._facts()["signatures"])

    def caches(self, symbol: str) -> bool:
        """Whether this method's own cache keeps its instances alive."""
        return symbol in self._facts()["cached"]

    def decisions(self) -> list[Step]:
        """The steps where the consumer said whether a problem fits, having given no hint."""
        asked = self.steps("can_use", "check_size")
        return [
            step for step in asked if step.outcome == "ok" and step.args.get("use_oneshot") is None
        ]

    def is_without(self, *operations: str) -> tuple[str, ...]:
        """Return those of the operations that the consumer does not have."""
        missing = {name for step in self.steps("driver") for name in step.value["lacks"]}
        return tuple(name for name in operations if name in missing)

    def ran(self) -> bool:
        """Whether work reached a kernel."""
        return bool(self.trace.events(kind="kernel"))

    def is_active(self) -> bool:
        """Whether fusion ran or, where nothing was run, whether the consumer says it would."""
        status = self.trace.final_status()
        return self.ran() or (status is not None and status.active)

    def activity(self) -> str:
        """``active``, ``degraded`` with the consumer's reason, or empty over many machines."""
        if self.steps("resolve"):
            return ""
        if self.is_active():
            return "active"
        status = self.trace.final_status()
        return f"degraded({status.reason if status and status.reason else 'unsaid'})"

    def backend(self) -> str:
        """The workspace's backend, or empty."""
        status = self.trace.final_status()
        return status.backend if status else ""

    def size_check(self) -> str:
        """Who answered size checks: ``upstream`` wherever it was asked, else ``local`` or none."""
        if any(event.outcome == "ok" for event in self.calls(SIZE_CHECK)):
            return "upstream"
        asked = any(
            step.outcome == "ok" and isinstance(step.value, dict) and step.value.get("answer")
            for step in self.steps("can_use")
        )
        return "local" if asked else "none"

    def expected_reason(self) -> str:
        """The reason code that is right in this cell; empty where fusion must be active.

        Where a whole release cannot be imported, a consumer is right to say so; whether the
        release may be so is for ``upstream_imports_here`` to judge.
        """
        if self.upstream.release is not None and self.refused():
            return "import-failed"
        return self.upstream.expected_reason(self.environment)

    def refused(self) -> str:
        """Why the upstream could not be imported; empty where it could."""
        return str(self._facts().get("refused", ""))

    def standins(self) -> tuple[str, ...]:
        """Modules that were stood in for, for a real release to be imported."""
        return tuple(self._facts().get("standins", ()))

    def states_capacity(self) -> bool:
        """Whether the workspace is TRT-LLM's and says all that its validator looks at."""
        return any(
            workspace["type"].startswith("TRTLLM")
            and set(workspace["metadata"] or ()) >= _CAPACITY_KEYS
            for workspace in self.workspaces()
        )

    def workspaces(self) -> list[dict[str, Json]]:
        """What the workspaces that creation returned say of themselves."""
        made = [step.value["workspace"] for step in self.steps("create") if step.outcome == "ok"]
        return [workspace for workspace in made if workspace is not None]

    def _facts(self) -> dict[str, Json]:
        facts: dict[str, Json] = self.steps("upstream")[0].value
        return facts


@dataclass(frozen=True)
class Rule:
    """A contract with its id and its check."""

    id: str
    contract: Contract
    check: Callable[[Any], Iterator[Breach]]

    def judge(self, seen: Any) -> tuple[Finding, ...]:  # noqa: ANN401 - one trace's evidence, or all ranks'
        """Return every breach in one cell, each once."""
        found = dict.fromkeys(self.check(seen))
        return tuple(
            Finding(self.id, each.expected, each.got, each.symbol, each.site) for each in found
        )


def validator_calls(step: Step) -> list[Event]:
    """The size checks that reached the upstream in one step."""
    return [
        event for event in step.events if event.kind == "call" and _is_symbol(event, SIZE_CHECK)
    ]


def upstream_lines(step: Step) -> list[str]:
    """What the upstream logged as a warning or worse, or printed, in one step."""
    return [
        line.text
        for line in step.logs
        if line.logger == "stdout" or (_from_upstream(line.logger) and line.level != "INFO")
    ]


def consumer_lines(step: Step, *levels: str) -> list[str]:
    """What the consumer logged in one step, at these levels or (none given) at any."""
    return [
        line.text
        for line in step.logs
        if line.logger != "stdout"
        and not _from_upstream(line.logger)
        and not line.logger.startswith("torch")
        and (not levels or line.level in levels)
    ]


def by_position(event: Event, kinds: dict[str, str], allowed: int) -> list[str]:
    """Arguments beyond the first ``allowed`` that were sent by position but could be named."""
    return [
        name
        for place, name in enumerate(kinds)
        if place >= allowed
        and name in event.args
        and name not in event.by_keyword
        and kinds[name] == "POSITIONAL_OR_KEYWORD"
    ]


def _is_symbol(event: Event, symbol: str) -> bool:
    return event.symbol == symbol or event.symbol.endswith(f".{symbol}")


def _from_upstream(logger: str) -> bool:
    return logger == _UPSTREAM_LOGGER or logger.startswith(f"{_UPSTREAM_LOGGER}.")
