from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import differ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="A release finds no fault with kernels of its own version",
    why="A build's local part, or a checkout that cannot tell its version, is taken for a mismatch",
    incidents=("I42", "I43"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Ask the release about the companions that match it, and about all of them together."""
    version = seen.main_version()
    there = seen.companions_there()
    fitting = {each.name: each.version for each in there if not differ(version, each.version)}
    if not fitting:
        raise CannotTellError("no kernels of its version are installed")
    found = seen.own_check(fitting)
    spelled = ", ".join(f"{name} {each}" for name, each in fitting.items())
    told = [("its import raises", found.raised)] if found.raised else []
    told += [("its import warns", line) for line in found.warned]
    told += [("its report says", line) for lines in found.reported.values() for line in lines]
    for how, text in told:
        yield Breach(
            f"{seen.target.main} {version}",
            f"no complaint about {spelled}",
            f"{how}: {text}",
            "install a release that compares public versions, or do not rely on what it says",
        )
