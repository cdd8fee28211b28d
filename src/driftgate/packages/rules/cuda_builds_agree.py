from __future__ import annotations

import re
from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import local

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="What was built for CUDA was built for one major version of it",
    why="A library of another major version is loaded beside the first, or not found",
)

# The local part of a build: cu128 is CUDA 12.8.
_BUILD = re.compile(r"cu(\d{2})\d")


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the local parts of versions."""
    builds: dict[str, list[str]] = {}
    for each in seen.environment.installed.values():
        match = _BUILD.match(local(each.version))
        if match:
            builds.setdefault(match[1], []).append(str(each))
    if not builds:
        raise CannotTellError("no version says which CUDA it was built for")
    if len(builds) > 1:
        names = [", ".join(each) for each in builds.values()]
        yield Breach(
            "; ".join(names),
            "one CUDA",
            f"CUDA {' and '.join(sorted(builds))}",
            "install builds for the same CUDA",
        )
