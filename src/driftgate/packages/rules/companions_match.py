from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import differ, local, public

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="Kernels are of the version of the Python that calls them",
    why="Compiled code of another version is refused, left unused, or called with other arguments",
    incidents=("I6", "I37", "I39", "I40", "I41"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare public versions: builds of one source differ in their local part only."""
    companions = [each for each in seen.companions_there() if each.version]
    if not companions:
        raise CannotTellError("the kernels are of no version yet")
    version = seen.main_version()
    main = seen.target.main
    for each in companions:
        if differ(version, each.version):
            wanted = f"{each.name}=={public(version)}"
            yield Breach(
                str(each),
                f"{public(version)}, as {main} is",
                f"{public(each.version)}: {seen.target.companion(each.name)}",
                f"install {wanted}, or {main}=={public(each.version)}",
            )
    builds = {local(each.version): each for each in companions if local(each.version)}
    if len(builds) > 1 and not any(differ(version, each.version) for each in companions):
        spelled = ", ".join(map(str, builds.values()))
        yield Breach(
            spelled,
            "one build of all of them",
            f"builds {', '.join(builds)}",
            "install the same build of each",
        )
