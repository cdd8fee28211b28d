"""Whether historic stubs behave like the releases that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.probes.asking import ask
from driftgate.probes.compare import (
    Difference,
    compare_records,
    compare_summaries,
    first_disagreement,
    read_allowances,
)
from driftgate.probes.subject import Subject
from driftgate.stubtree.shapes import load_stub_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from driftgate.paths import Project
    from driftgate.probes.compare import Allowance
    from driftgate.probes.subject import Answers
    from driftgate.wheels.store import WheelStore

_CORE = "_core"


@dataclass(frozen=True)
class ReleaseBehaviour:
    """How one release and its stub answered.

    Attributes:
        release: The release.
        stub: What stands for it.
        probes: How many probes both answered.
        questions: How many questions both validators answered.
        differences: Probes and blocks that were answered differently.
        not_run: Why it was not probed; empty where it was.
        error: How a process died; empty where none did.
        standins: Modules that were stood in for.
        torch: The version of torch.
        seconds: What the release took.
    """

    release: str
    stub: str
    probes: int = 0
    questions: int = 0
    differences: tuple[Difference, ...] = ()
    not_run: str = ""
    error: str = ""
    standins: tuple[str, ...] = ()
    torch: str = ""
    seconds: float = 0.0

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that no row allows."""
        return tuple(each for each in self.differences if not each.reason)

    @property
    def state(self) -> str:
        """``same``, ``differs``, ``not-run`` or ``error``."""
        if self.error:
            return "error"
        if self.not_run:
            return "not-run"
        return "differs" if self.unexplained else "same"

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return self.state in {"same", "not-run"}


@dataclass(frozen=True)
class Pair:
    """A release with a wheel, and the stub that stands for it."""

    release: str
    stub: str


def pairs(stubs: Path, wheels: Iterable[str], *, every: bool) -> list[Pair]:
    """Return what is to be compared, oldest release first.

    Args:
        stubs: The folder of stubs.
        wheels: Releases that have a wheel.
        every: Whether all releases, or only the first and the last that a stub stands for.

    Raises:
        InvalidDataError: A stub's folder cannot be read.
    """
    have = set(wheels)
    found = []
    for folder in load_stub_folders(stubs):
        group = sorted((each for each in folder.stands_for if each in have), key=Version)
        chosen = group if every else dict.fromkeys([*group[:1], *group[-1:]])
        found += [Pair(release, folder.name) for release in chosen]
    return sorted(found, key=lambda pair: Version(pair.release))


@dataclass
class Comparison:
    """One run over some pairs.

    Attributes:
        project: Where the data lies.
        store: Where the releases lie.
        workers: Processes at a time.
        problems: Rows of ``matrix/fidelity.toml`` that are wrong; complete when it is over.
    """

    project: Project
    store: WheelStore
    workers: int
    problems: list[str] = field(default_factory=list)

    def run(self, chosen: Sequence[Pair]) -> Iterator[ReleaseBehaviour]:
        """Probe stubs and releases; yield each release's outcome, in the order given.

        Raises:
            DriftgateError: A data file cannot be used, or the prober died.
        """
        allowances = read_allowances(self.project.matrix / "fidelity.toml")
        subjects = {f"stub:{pair.stub}": self._stub(pair.stub) for pair in chosen}
        subjects |= {
            f"wheel:{pair.release}": self._wheel(pair.release)
            for pair in chosen
            if self.store.get(pair.release)
        }
        answers: dict[str, Answers] = {}
        todo = list(chosen)
        used: set[Allowance] = set()
        done: list[ReleaseBehaviour] = []
        for answer in ask(list(subjects.values()), self._seams, self.workers):
            answers[answer.subject] = answer
            while todo and _is_answered(todo[0], subjects, answers):
                result = self._result(todo.pop(0), answers, allowances, used)
                done.append(result)
                yield result
        for pair in todo:  # nothing was asked, or nothing of it
            result = self._result(pair, answers, allowances, used)
            done.append(result)
            yield result
        self.problems += _unused(allowances, used, done)

    @property
    def _seams(self) -> Path:
        return self.project.matrix / "seams.toml"

    def _stub(self, name: str) -> Subject:
        folders = (str(self.project.stubs / name), str(self.project.stubs / _CORE))
        return Subject(f"stub:{name}", folders)

    def _wheel(self, release: str) -> Subject:
        return Subject(f"wheel:{release}", (str(self.store.folder(release)),), release)

    def _result(
        self,
        pair: Pair,
        answers: Mapping[str, Answers],
        allowances: Sequence[Allowance],
        used: set[Allowance],
    ) -> ReleaseBehaviour:
        stub, wheel = answers.get(f"stub:{pair.stub}"), answers.get(f"wheel:{pair.release}")
        result = ReleaseBehaviour(pair.release, pair.stub)
        if wheel is None:
            fetch = f"driftgate wheels fetch {pair.release}"
            return replace(result, not_run=f"not in the wheel store; run `{fetch}`")
        result = replace(result, standins=wheel.standins, torch=wheel.torch, seconds=wheel.seconds)
        if wheel.refused:
            return replace(result, not_run=wheel.refused)
        if stub is None or stub.error or wheel.error:
            return replace(result, error=wheel.error or (stub.error if stub else "no answer"))
        found = {**compare_records(stub, wheel), **self._disagreements(pair, stub, wheel)}
        differences = []
        for probe, parts in found.items():
            row = next((row for row in allowances if row.covers(pair.release, probe)), None)
            if row is not None:
                used.add(row)
            reason = row.reason if row else ""
            differences.append(Difference(pair.release, pair.stub, probe, parts, reason))
        return replace(
            result,
            probes=len(wheel.records),
            questions=sum(summary["questions"] for summary in wheel.summaries),
            differences=tuple(differences),
        )

    def _disagreements(
        self, pair: Pair, stub: Answers, wheel: Answers
    ) -> dict[str, dict[str, tuple[object, object]]]:
        """Ask the first block that differs again, for the question that it differs in."""
        blocks = compare_summaries(stub, wheel)
        if not blocks:
            return {}
        index = blocks[0]
        both = [self._stub(pair.stub), self._wheel(pair.release)]
        asked = [replace(subject, block=index) for subject in both]
        again = {answer.subject: answer for answer in ask(asked, self._seams, len(asked))}
        parts = first_disagreement(again[both[0].name], again[both[1].name])
        parts["blocks that differ"] = (len(blocks), len(blocks))
        block = (*wheel.summaries, *stub.summaries)[index]["block"]
        return {f"validators: {block}": parts}


def _is_answered(
    pair: Pair, subjects: Mapping[str, Subject], answers: Mapping[str, Answers]
) -> bool:
    names = (f"stub:{pair.stub}", f"wheel:{pair.release}")
    return all(name in answers for name in names if name in subjects)


def _unused(
    allowances: Sequence[Allowance], used: set[Allowance], done: Sequence[ReleaseBehaviour]
) -> Iterator[str]:
    """Say which rows allowed nothing, though a release that they are about was probed."""
    probed = [result.release for result in done if result.probes]
    for row in allowances:
        if row not in used and any(
            row.releases.contains(each, prereleases=True) for each in probed
        ):
            yield f"fidelity.toml: nothing differs any more by {row}; drop the row"
