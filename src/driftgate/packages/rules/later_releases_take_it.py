from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from driftgate.packages.errors import CannotTellError
from driftgate.packages.metadata import parsed
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import public
from driftgate.surface.releases import load_releases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement
    from packaging.version import Version as AnyVersion

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="Nothing is installed that a later release excludes by its version",
    why="It was found broken beside this code, and the metadata of this release cannot say so",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for installed versions in the exclusions (``!=``) of later recorded releases."""
    code = public(seen.main_version())
    recorded = load_releases(seen.project.matrix / "releases.toml")
    later = {
        version: tuple(parsed(row.requires_dist))
        for version, row in recorded.items()
        if code is not None and Version(version) > code
    }
    if not any(later.values()):
        raise CannotTellError("no later release is recorded")
    told = set()
    for version, requires in later.items():
        for each in requires:
            name = canonicalize_name(each.name)
            here = seen.environment.installed.get(name)
            if here is None or name in told or not here.version:
                continue
            found = public(here.version)
            if found is not None and _excludes(each, found):
                told.add(name)
                yield Breach(
                    str(here),
                    f"a version that {seen.target.main} {version} takes: {each}",
                    f"{here.version} beside {seen.target.main} {code}",
                    f"install another version of {name}",
                )


def _excludes(requirement: Requirement, version: AnyVersion) -> bool:
    """Whether the version is left out by name, and not by a range."""
    return any(
        each.operator == "!=" and not each.contains(version, prereleases=True)
        for each in requirement.specifier
    )
