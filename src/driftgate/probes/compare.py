"""Where a stub and a release that it stands for answered differently."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from driftgate.errors import InvalidDataError
from driftgate.toml import check, only_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from driftgate.probes.subject import Answers

_FIELDS = ("probe", "releases", "reason")
_SHOWN = 160  # characters of a value


@dataclass(frozen=True)
class Difference:
    """One probe, or one block of the validators' questions, that was answered differently.

    Attributes:
        release: The release.
        stub: What stands for it.
        probe: The probe's id; ``validators: …`` for a block.
        fields: Parts of the record that differ: what the stub said, what the wheel said.
        reason: Of the row that allows it; empty where none does.
    """

    release: str
    stub: str
    probe: str
    fields: Mapping[str, tuple[Any, Any]]
    reason: str = ""

    def lines(self) -> Iterator[str]:
        """Say it for people: one line, and one for each part."""
        yield f"{self.release} and {self.stub}: {self.probe}"
        for name, (stub, wheel) in self.fields.items():
            yield f"    {name}: the stub said {_shown(stub)}, the wheel {_shown(wheel)}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON Lines."""
        fields = {name: {"stub": a, "wheel": b} for name, (a, b) in self.fields.items()}
        return {"probe": self.probe, "fields": fields, "reason": self.reason}


def _shown(value: Any) -> str:  # noqa: ANN401 - plain JSON values
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def compare_records(stub: Answers, wheel: Answers) -> dict[str, dict[str, tuple[Any, Any]]]:
    """Return the parts that differ, by probe."""
    found = {}
    for probe, said in stub.records.items():
        got = wheel.records.get(probe, {})
        names = [name for name in {**said, **got} if said.get(name) != got.get(name)]
        if names:
            found[probe] = {name: (said.get(name), got.get(name)) for name in names}
    return found


def compare_summaries(stub: Answers, wheel: Answers) -> list[int]:
    """Return the indices of the validators' blocks that were answered differently."""
    count = max(len(stub.summaries), len(wheel.summaries))
    return [
        index
        for index in range(count)
        if stub.summaries[index : index + 1] != wheel.summaries[index : index + 1]
    ]


def first_disagreement(stub: Answers, wheel: Answers) -> dict[str, tuple[Any, Any]]:
    """Return the first question of a block that was not asked, or not answered, alike."""
    for index, (said, got) in enumerate(zip(stub.questions, wheel.questions, strict=True)):
        if said != got:
            return {f"question {index}": (said, got)}
    return {}


@dataclass(frozen=True)
class Allowance:
    """A row of ``matrix/fidelity.toml``: a difference that is known, and why it may stay.

    Attributes:
        probe: Pattern of probe ids.
        releases: The releases where they differ.
        reason: Why that may stay, in a sentence.
    """

    probe: str
    releases: SpecifierSet
    reason: str

    def covers(self, release: str, probe: str) -> bool:
        """Whether a difference is this one."""
        return self.releases.contains(release, prereleases=True) and fnmatchcase(probe, self.probe)

    def __str__(self) -> str:
        return f"{self.probe} in {self.releases}"


def read_allowances(path: Path) -> tuple[Allowance, ...]:
    """Return the rows, in the file's order.

    Raises:
        InvalidDataError: A row lacks a key, has an unknown one, or a range that is none.
    """
    return tuple(_allowance(path, row) for row in only_rows(path, "difference"))


def _allowance(path: Path, row: dict[str, Any]) -> Allowance:
    name = row.get("probe", "?")
    check(path, f"the row for {name!r}", row, dict.fromkeys(_FIELDS, str), _FIELDS)
    try:
        return Allowance(name, SpecifierSet(row["releases"]), row["reason"])
    except InvalidSpecifier as error:
        problem = f"the row for {name!r}: {row['releases']!r} is no range"
        raise InvalidDataError(path, problem, "write >=1,<2") from error
