"""What was seen while a consumer was driven: plain values that survive a process border.

A cell is driven once and leaves one trace. Contracts are pure functions of traces, so that a
trace can be kept, compared between upstreams, and judged again without running anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = Any


@dataclass(frozen=True)
class Event:
    """One thing that happened at the border between consumer and upstream.

    Attributes:
        kind: ``call`` (a watched symbol was called), ``kernel`` (work reached the kernel seam),
            ``rendezvous`` (peers met, or would have), ``alloc``, ``free``.
        symbol: Dotted name of the watched symbol, ``create_allreduce_fusion_workspace`` or
            ``MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient``.
        args: Arguments by parameter name where they bound, by keyword or ``*0`` where they
            did not. Tensors, groups and enum members appear as short descriptions.
        by_keyword: Which of ``args`` the caller named.
        outcome: ``ok``, or the exception's type name.
        value: A description of what came back, or the exception's text.
        site: ``file:line`` of the consumer's call.
    """

    kind: str
    symbol: str
    args: dict[str, Json] = field(default_factory=dict)
    by_keyword: tuple[str, ...] = ()
    outcome: str = "ok"
    value: Json = None
    site: str = ""


@dataclass(frozen=True)
class LogLine:
    """One log record, or one line printed to stdout or stderr.

    Attributes:
        logger: Logger's name, or ``stdout`` or ``stderr``.
        level: ``DEBUG`` … ``CRITICAL``; ``PRINT`` for printed lines.
        text: The formatted message.
    """

    logger: str
    level: str
    text: str


@dataclass(frozen=True)
class Status:
    """What the consumer says of itself.

    Attributes:
        active: Whether fusion would run.
        reason: Reason code when it would not; empty when active; ``unsaid`` where the consumer
            has no way to say it.
        backend: The workspace's backend, or empty.
        dropped: What the consumer left out because the upstream does not take it.
    """

    active: bool
    reason: str = ""
    backend: str = ""
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """One operation that the driver was asked to do.

    Attributes:
        op: ``load``, ``create``, ``can_use``, ``check_size``, ``all_reduce``, ``fused``,
            ``cleanup`` …
        args: What was asked.
        outcome: ``ok``, or the type name of the exception that left the consumer.
        value: What came back: a bool, or for numerics the errors against plain torch.
        events: What crossed the border meanwhile.
        logs: What was logged or printed meanwhile.
        status: The consumer's status afterwards; None where it could not be asked.
    """

    op: str
    args: dict[str, Json] = field(default_factory=dict)
    outcome: str = "ok"
    value: Json = None
    events: tuple[Event, ...] = ()
    logs: tuple[LogLine, ...] = ()
    status: Status | None = None


@dataclass(frozen=True)
class Trace:
    """Everything seen in one cell.

    Attributes:
        steps: In the order driven.
        stderr: What the process wrote to stderr, its shutdown included.
        leaks: Names of things still alive after the last cleanup.
    """

    steps: tuple[Step, ...]
    stderr: str = ""
    leaks: tuple[str, ...] = ()

    def events(self, symbol: str = "", kind: str = "call") -> list[Event]:
        """All events of ``kind``, in order, for one symbol or (empty) for all."""
        return [
            event
            for step in self.steps
            for event in step.events
            if event.kind == kind and symbol in ("", event.symbol)
        ]

    def final_status(self) -> Status | None:
        """The last status that the consumer gave before its first cleanup."""
        last: Status | None = None
        for step in self.steps:
            if step.op == "cleanup" and last is not None:
                break
            last = step.status or last
        return last

    def as_dict(self) -> dict[str, Json]:
        """Return plain containers, for JSON.

        They are the trace's own and not copies, as ``dataclasses.asdict`` would make of each
        value: it takes longer than driving the cell did.
        """
        return {**vars(self), "steps": [_plain(step) for step in self.steps]}

    @classmethod
    def from_dict(cls, data: dict[str, Json]) -> Trace:
        """Rebuild a trace from :meth:`as_dict`."""
        return cls(
            steps=tuple(_step(step) for step in data["steps"]),
            stderr=data["stderr"],
            leaks=tuple(data["leaks"]),
        )


def _plain(step: Step) -> dict[str, Json]:
    return {
        **vars(step),
        "events": [vars(event) for event in step.events],
        "logs": [vars(line) for line in step.logs],
        "status": None if step.status is None else vars(step.status),
    }


def _step(data: dict[str, Json]) -> Step:
    status = data["status"]
    return Step(
        op=data["op"],
        args=data["args"],
        outcome=data["outcome"],
        value=data["value"],
        events=tuple(
            Event(**{**event, "by_keyword": tuple(event["by_keyword"])}) for event in data["events"]
        ),
        logs=tuple(LogLine(**line) for line in data["logs"]),
        status=Status(**{**status, "dropped": tuple(status["dropped"])}) if status else None,
    )
