from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import differ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="A release notices kernels of another version",
    why="Whoever relies on its comparison learns of the mismatch when a kernel fails",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Ask the release about each companion that does not match it."""
    version = seen.main_version()
    switched = [name for name in seen.target.switches if seen.environment.variables.get(name)]
    if switched:
        raise CannotTellError(f"{switched[0]} switches the release's comparison off")
    # Those that are found by way of another one are compared when that one finds them.
    skewed = [
        each
        for each in seen.companions_there()
        if each.name in seen.target.companions and differ(version, each.version)
    ]
    if not skewed:
        raise CannotTellError("no kernels of another version are installed")
    for each in skewed:
        if not seen.own_check({each.name: each.version}).noticed:
            yield Breach(
                f"{seen.target.main} {version}",
                f"its import complains about {each}",
                "its import says nothing",
                f"install {each.name} of version {version}; its own comparison is no proof",
            )
