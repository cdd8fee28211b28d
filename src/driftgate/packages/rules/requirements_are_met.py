from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from driftgate.packages.metadata import holds
from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import public

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.specifiers import SpecifierSet

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="What is required is there, in a version that is wanted",
    why="The engine refuses to start, or calls what another version does otherwise",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare what the consumer and each distribution require with what is installed."""
    for subject in seen.subjects_there():
        release = subject.release
        python = seen.marker_python
        wanted: dict[tuple[str, SpecifierSet], str] = {}
        for each in release.requires:
            if any(holds(each, python, extra) for extra in ("", *subject.extras)):
                wanted[canonicalize_name(each.name), each.specifier] = ""
        for pin in seen.pins(subject):
            if not pin.extra:
                wanted.setdefault((pin.name, pin.specifier), pin.site)
        for (name, specifier), site in wanted.items():
            here = seen.environment.installed.get(name)
            if here is None:
                if seen.environment.complete and not site:
                    yield _breach(str(release), name, specifier, "it is not installed")
            elif here.version and not _meets(here.version, specifier):
                yield _breach(str(release), name, specifier, f"{here}", site)


def _meets(version: str, specifier: SpecifierSet) -> bool:
    return public(version) is None or specifier.contains(version, prereleases=True)


def _breach(subject: str, name: str, specifier: SpecifierSet, got: str, site: str = "") -> Breach:
    where = site if ":" in site else ""
    return Breach(subject, f"{name}{specifier}", got, f'install "{name}{specifier}"', where)
