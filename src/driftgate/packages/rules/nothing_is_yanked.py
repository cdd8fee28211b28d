from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="No release is installed that the index withdrew",
    why="Its maintainers found it broken; an installer takes it only where it is pinned",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what the index says of each release."""
    releases = [each.release for each in seen.subjects_there()]
    if all(each.yanked is None for each in releases):
        raise CannotTellError("no index was asked")
    for release in releases:
        if release.yanked:
            yield Breach(
                str(release), "a release on offer", "the index withdrew it", "take another release"
            )
