from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.consumers import Subject
    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="Who pins the Python pins the kernels too",
    why="An installer takes the newest kernels, for a Python that is held back",
    incidents=("I39", "I40"),
    risk=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for kernels that are wanted, by anybody, and held to no version."""
    judged = False
    for engine in seen.engines_there():
        pins = list(seen.pins(engine))
        main = next((pin for pin in pins if pin.name == seen.target.main and pin.exact), None)
        if main is None:
            continue
        judged = True
        held = {pin.name for pin in pins if pin.exact}
        for name, who in _wanted(seen, engine).items():
            if name not in held:
                yield Breach(
                    str(engine.release),
                    f"{name}=={main.exact} beside {main}",
                    f"{who}, and nothing holds it to a version",
                    f"add {name}=={main.exact} to what you install",
                )
    if not judged:
        raise CannotTellError(f"no consumer pins {seen.target.main}")


def _wanted(seen: Evidence, engine: Subject) -> dict[str, str]:
    """Return the kernels that somebody wants, and who; else those that somebody may add."""
    loose = {
        each.name: "it is installed in any version" for each in seen.companions if not each.version
    }
    required = {
        str(canonicalize_name(each.name)): "it is required" for each in engine.release.requires
    }
    found = {
        name: who
        for name, who in (required | loose).items()
        if seen.target.companion(name) is not None
    }
    if found or seen.companions:
        return found
    named = [name for name in seen.target.companions if "*" not in name]
    return {named[0]: "nothing requires it, whoever adds it chooses"}
