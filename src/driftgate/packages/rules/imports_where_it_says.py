from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.insides.requirements import admitted
from driftgate.packages.interpreters import demands, misread
from driftgate.packages.model import Breach, PackageRule
from driftgate.surface.difference import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    pythons = [each for each in declared if python in ("", each)]
    found = False
    for look in (_subscripted, _library, _grammar):
        # What is recorded is enough where it shows something.
        for what, site, fails in () if found else look(seen):
            failing = [each for each in pythons if fails(each)]
            if failing:
                found = True
                admits = f"which {release.requires_python or 'it'} admits"
                yield Breach(
                    str(release),
                    f"imports on Python {', '.join(failing)}, {admits}",
                    what,
                    "run a Python on which it does, or install another release",
                    site,
                )


_Found = tuple[str, str, "Callable[[str], bool]"]


def _subscripted(seen: Evidence) -> Iterator[_Found]:
    """Yield classes that are subscripted, which not every Python allows."""
    for difference in seen.at_import:
        if difference.kind is Kind.IMPORT_FAILS:
            what = difference.new or ""
            needed = seen.insides.generic_since[what.partition("[")[0]]
            yield f"{what}: possible from Python {needed}", "", _before(needed)


def _before(needed: Version) -> Callable[[str], bool]:
    return lambda python: Version(python) < needed


def _library(seen: Evidence) -> Iterator[_Found]:
    """Yield what is imported from the standard library, which not every Python has."""
    for demand in demands(seen.modules_at_import(), seen.target):
        yield str(demand), demand.site, demand.fails_on


def _grammar(seen: Evidence) -> Iterator[_Found]:
    """Yield modules in a grammar that an older Python does not know."""
    files = seen.code_files()
    for module in seen.modules_at_import():
        text = files[module.path]
        oldest = min(admitted(seen.code.requires_python), key=Version, default="")
        problem = misread(text, oldest) if oldest else ""
        if problem:
            what = f"a grammar that Python {oldest} does not know, {problem}"
            yield what, module.path, _misreads(text)


def _misreads(text: str) -> Callable[[str], bool]:
    return lambda python: bool(misread(text, python))
