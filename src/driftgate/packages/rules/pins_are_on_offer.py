from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="A pinned release is on offer",
    why="The install fails, or takes the pinned one from where nobody looks after it",
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for releases that are pinned, and that the index, which knows others, has not."""
    pins = [(engine, pin) for engine in seen.engines_there() for pin in seen.pins(engine)]
    kin = {
        (str(engine.release), pin.name, pin.exact): pin
        for engine, pin in pins
        if pin.exact
        and (pin.name == seen.target.main or seen.target.companion(pin.name) is not None)
    }
    known = {key: seen.catalogue.newest(pin.name) for key, pin in kin.items()}
    if not any(known.values()):
        raise CannotTellError("the index has none of what is pinned")
    for (subject, name, version), pin in kin.items():
        newest = known[subject, name, version]
        if newest and seen.catalogue.release(name, version) is None:
            yield Breach(
                subject,
                f"{name} {version} on offer",
                f"{pin}; the newest on offer is {newest}",
                "pin a release that is on offer",
                pin.site if ":" in pin.site else "",
            )
