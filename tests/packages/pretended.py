"""An index that is pretended, and environments over it, as rows spell them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.packages.judge import gather
from driftgate.packages.metadata import parsed
from driftgate.packages.model import Release
from driftgate.packages.rules import all_rules
from driftgate.packages.spelling import spelled
from driftgate.paths import find_project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.packages.evidence import Evidence
    from driftgate.packages.model import Breach

PROJECT = find_project(Path(__file__).parent)


@dataclass
class Pretended:
    """Releases by name and version, and their files.

    Attributes:
        releases: What the index offers, oldest first.
        texts: Their files, by path.
    """

    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
    texts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Offer a release as a fixture row spells it."""
        key = row["name"], row["version"]
        requires = tuple(parsed(row.get("requires", ())))
        python = row.get("requires_python", "")
        self.releases[key] = Release(*key, python, requires, row.get("yanked", False))
        self.texts[key] = row.get("files", {})

    def release(self, name: str, version: str) -> Release | None:
        """Return one release."""
        return self.releases.get((name, version))

    def newest(self, name: str) -> str:
        """Return the release that was added last."""
        return next((key[1] for key in reversed(self.releases) if key[0] == name), "")

    def files(self, name: str, version: str) -> Mapping[str, str]:
        """Return its files."""
        return self.texts.get((name, version), {})


def evidence(case: Mapping[str, Any], index: Pretended) -> Evidence:
    """Return what rules judge by in a case that a row spells."""
    environment = spelled(
        case.get("installed", ()),
        case.get("python", ""),
        case.get("variables"),
        complete=case.get("complete", False),
    )
    return gather(environment, case.get("consumer", ""), PROJECT, index)


def breaches(rule: str, case: Mapping[str, Any], index: Pretended | None = None) -> list[Breach]:
    """Return what a rule finds wrong in a case."""
    return list(all_rules()[rule].check(evidence(case, index or Pretended())))
