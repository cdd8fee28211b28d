from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="No pre-release of another distribution is required, and no other version",
    why=(
        "Installers that take no pre-releases find no solution, and nobody else can ask for the "
        "final version beside it"
    ),
    risk=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for exact pins of pre-releases in what is required always."""
    for subject in seen.subjects_there():
        for pin in seen.pins(subject):
            if not pin.extra and _is_prerelease(pin.exact):
                final = Version(pin.exact).base_version
                yield Breach(
                    str(subject.release),
                    f"{pin.name} of a final version, or a range",
                    f"{pin}",
                    f"allow pre-releases, or wait for a release that takes {pin.name} {final}",
                )


def _is_prerelease(version: str) -> bool:
    try:
        return Version(version).is_prerelease
    except InvalidVersion:
        return False
