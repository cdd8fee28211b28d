from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.insides.requirements import admitted
from driftgate.packages.model import Breach, PackageRule
from driftgate.surface.difference import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="A release can be imported on every Python that it admits",
    why="It installs, and its import fails: fusion is off, or the engine does not start",
    incidents=("I29",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for what the top of its modules does that a declared Python cannot do.

    Where an interpreter is named, only that one counts.
    """
    release = seen.code
    python = seen.environment.python
    declared = admitted(release.requires_python)
    pythons = [each for each in declared if each == python] if python else declared
    for difference in seen.at_import:
        if difference.kind is Kind.IMPORT_FAILS:
            what = difference.new or ""
            needed = seen.insides.generic_since[what.partition("[")[0]]
            failing = [each for each in pythons if Version(each) < needed]
            if failing:
                admits = f"which {release.requires_python} admits"
                yield Breach(
                    str(release),
                    f"imports on Python {', '.join(failing)}, {admits}",
                    f"{what}: possible from Python {needed}",
                    f"run Python {needed} or later, or install another release",
                )
