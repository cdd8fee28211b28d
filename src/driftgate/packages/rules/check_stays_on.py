from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import differ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="The comparison of versions is on where versions differ",
    why="Switched off, what it would refuse at import fails on the device, or corrupts memory",
    incidents=("I41",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a variable that switches it off; any value does, 0 as well."""
    version = seen.main_version()
    skewed = [each for each in seen.companions_there() if differ(version, each.version)]
    for variable, what in seen.target.switches.items():
        value = seen.environment.variables.get(variable, "")
        for each in skewed if value else ():
            yield Breach(
                str(each),
                f"{what} runs, for {seen.target.main} is {version}",
                f"{variable}={value} switches it off",
                f"install matching versions, and unset {variable}",
            )
