from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.model import Breach, PackageRule
from driftgate.surface.difference import Kind, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="What a release imports for sure is in its metadata",
    why="An installer does not bring it, and the import fails where nothing else does",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare imports without a guard with what the metadata requires."""
    release = seen.code
    names = {each.name for each in release.requires}
    brought = {seen.target.brings[name] for name in names if name in seen.target.brings}
    for difference in seen.at_import:
        if (
            difference.kind is not Kind.IMPORT_MADE_MANDATORY
            or difference.level is not Level.BREAKING
        ):
            continue
        distribution = difference.note.partition("from ")[2].partition(",")[0]
        here = seen.environment.version(distribution)
        if distribution not in brought and not here:
            yield Breach(
                str(release),
                f"requires {distribution}",
                f"imports {difference.new}, {difference.note}",
                f"install {distribution} beside it",
            )
