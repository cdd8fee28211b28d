"""Rows of a GPU session, as JSON Lines that can be committed as evidence."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driftgate.gpu.needs import Machine

_VERSIONS = ("torch", "flashinfer-python", "flashinfer-cubin")


@dataclass(frozen=True)
class Row:
    """How one check ended.

    Attributes:
        generation: ``hopper`` or ``blackwell``.
        check: The check's id.
        state: ``pass``, ``fail``, ``error`` or ``not-run``.
        gpus: Devices that it ran over; 0 where it did not.
        reason: What is wrong, or what it needs.
        values: What was measured.
    """

    generation: str
    check: str
    state: State
    gpus: int = 0
    reason: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    def as_json(self, facts: dict[str, Any]) -> str:
        """Return one line, with the facts of the machine that it is about."""
        return json.dumps(
            {
                "tier": "gpu",
                "generation": self.generation,
                "check": self.check,
                "state": self.state.value,
                "gpus": self.gpus,
                "reason": self.reason,
                "values": self.values,
                **facts,
            }
        )


def machine_facts(machine: Machine) -> dict[str, Any]:
    """What a figure depends on: devices, driver, and the versions of torch and FlashInfer."""
    return {
        "devices": list(machine.names),
        "driver": _driver() if machine.names else "",
        "versions": {name: _version(name) for name in _VERSIONS},
    }


def summary(rows: Iterable[Row], seconds: float) -> str:
    """Return a session's last line."""
    count = Counter(row.state for row in rows)
    states = (State.PASS, State.FAIL, State.ERROR, State.NOT_RUN)
    figures = " ".join(f"{state.value}={count[state]}" for state in states)
    return f"summary: checks={sum(count.values())} {figures} seconds={seconds:.1f}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _driver() -> str:
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        ran = subprocess.run(query, capture_output=True, text=True, check=True)  # noqa: S603 - constant
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ran.stdout.partition("\n")[0].strip()
