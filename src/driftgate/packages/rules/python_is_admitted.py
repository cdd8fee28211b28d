from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.insides.requirements import admitted
from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="The interpreter is one that every distribution admits",
    why="An installer refuses it, or takes an older release in silence",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the interpreter with each distribution's requires-python."""
    python = seen.environment.python
    if not python:
        raise CannotTellError("no interpreter is named")
    for subject in seen.subjects_there():
        release = subject.release
        if python not in admitted(release.requires_python):
            yield Breach(
                str(release),
                f"a Python that {release.requires_python} admits",
                f"Python {python}",
                "run another interpreter, or install a release that admits this one",
            )
