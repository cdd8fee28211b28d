"""Where a script plays: it asks the driver for one thing at a time, and each leaves a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftgate.drive.describe import describe
from driftgate.errors import DriftgateError
from driftgate.trace import Step, Trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.cells import Environment
    from driftgate.drive.drivers.base import Driver
    from driftgate.drive.engine import Engine
    from driftgate.drive.logs import Recorder
    from driftgate.drive.observe import Observer
    from driftgate.drive.upstream import Upstream
    from driftgate.trace import Json


# The operation that a step asks the driver for, where a consumer may not have it.
_ASKED_OF = {
    "all_reduce": "all_reduce",
    "can_use": "can_use",
    "can_use_other_group": "other_group",
    "check_size": "check_size",
    "decide": "can_use",
    "open_manager": "open_manager",
    "refusals": "can_use",
    "resolve": "resolve_backend",
}


class Stage:
    """The consumer and the upstream of one cell, and the steps taken so far.

    Attributes:
        driver: The consumer.
        upstream: The upstream's switches and counters.
        observer: What crosses the border.
        environment: What the cell pretends; set by :meth:`enter`.
        engine: The pretended engine; set by :meth:`enter`.
        leaks: Names of things found alive after the last cleanup.
    """

    environment: Environment
    engine: Engine

    def __init__(
        self, driver: Driver, upstream: Upstream, observer: Observer, recorder: Recorder
    ) -> None:
        self.driver = driver
        self.upstream = upstream
        self.observer = observer
        self.leaks: list[str] = []
        self._recorder = recorder
        self._steps: list[Step] = []

    def enter(self, environment: Environment, engine: Engine) -> None:
        """Play in this environment from here on."""
        self.environment = environment
        self.engine = engine

    def note(self, op: str, value: Json) -> None:
        """Write down a fact that no operation of the consumer brought."""
        self._steps.append(Step(op, value=value))

    def step(
        self,
        op: str,
        call: Callable[[], Any],
        *,
        measure: Callable[[Any], Json] = describe,
        **args: Json,
    ) -> Any:  # noqa: ANN401 - what came back is the consumer's affair
        """Do one thing, write it down, and return what came back (None if it raised).

        What the consumer does not have is not asked of it, and leaves no step.

        Args:
            op: The step's name.
            call: Does it.
            measure: Turns what came back into the step's value; what it does itself to the
                upstream is not recorded.
            **args: What was asked, for the reader of the trace.

        Raises:
            DriftgateError: The consumer cannot be driven at all.
        """
        if _ASKED_OF.get(op) in self.driver.lacks:
            # Nobody asks whether it may be fused: it is.
            return op == "can_use"
        self._forget()
        returned, outcome = None, "ok"
        value: Json
        try:
            returned = call()
        except DriftgateError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - what leaves a consumer is the finding
            outcome, value = type(error).__name__, str(error)
            events, logs = self.observer.take(), self._recorder.take()
        else:
            events, logs = self.observer.take(), self._recorder.take()
            value = measure(returned)
        status = self.driver.status()
        self._steps.append(Step(op, args, outcome, value, events, logs, status))
        return returned

    def ok(self) -> bool:
        """Whether the last step left without an exception."""
        return self._steps[-1].outcome == "ok"

    def trace(self) -> Trace:
        """Everything so far."""
        return Trace(tuple(self._steps), leaks=tuple(self.leaks))

    def _forget(self) -> None:
        """Drop what the harness itself caused between two steps."""
        self.observer.take()
        self._recorder.take()
