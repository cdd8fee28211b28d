"""What the ranks of one cell left: a trace each, and how each process ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from driftgate.trace import Step, Trace

HANG = "hang"


@dataclass(frozen=True)
class Inside:
    """A collective that a rank entered and did not leave.

    Attributes:
        call: The function of ``torch.distributed``.
        ranks: Global ranks of the group that it waits for.
        step: What the consumer was asked to do.
        site: Where it was called, as ``file:line``.
    """

    call: str
    ranks: tuple[int, ...]
    step: str
    site: str

    def __str__(self) -> str:
        return f"{self.call} over ranks {list(self.ranks)} in {self.step} at {self.site}"


@dataclass(frozen=True)
class RankTrace:
    """One rank's part of a cell.

    Attributes:
        server: Which of the cell's worlds it is in.
        rank: Its global rank there.
        trace: The steps that it finished.
        took: Seconds of each of them.
        end: How the process ended: empty if well, ``hang`` if it was killed at the limit.
        inside: The collective that it was in when it ended, if any.
        unfinished: The step that it was in when it ended, if any.
        stack: Its Python stacks when it was killed at the limit.
    """

    server: int
    rank: int
    trace: Trace
    took: tuple[float, ...] = ()
    end: str = ""
    inside: Inside | None = None
    unfinished: str = ""
    stack: str = ""

    @property
    def name(self) -> str:
        """How reports call it."""
        return f"rank {self.rank}" + (f" of server {self.server}" if self.server else "")

    def steps(self, *ops: str) -> list[Step]:
        """The steps with one of these names, in order."""
        return [step for step in self.trace.steps if step.op in ops]

    def seconds_of(self, op: str) -> float:
        """Seconds that all steps of one name took."""
        return sum(
            took for step, took in zip(self.trace.steps, self.took, strict=True) if step.op == op
        )

    def where(self) -> str:
        """Say where a rank that did not end well was."""
        at = str(self.inside) if self.inside else self.unfinished or "no step"
        said = self.trace.stderr.strip().rsplit("\n", 1)[-1] if self.end != HANG else ""
        return f"{self.name}: {self.end} in {at}" + (f" ({said})" if said else "")

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RankTrace:
        """Rebuild one from :meth:`as_dict` and JSON."""
        inside = data["inside"]
        return cls(
            **{
                **data,
                "trace": Trace.from_dict(data["trace"]),
                "took": tuple(data["took"]),
                "inside": Inside(**{**inside, "ranks": tuple(inside["ranks"])}) if inside else None,
            }
        )
