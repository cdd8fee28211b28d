"""Upstreams by their spelled names: ``stub:v0_6_11``, ``absent``."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from driftgate.cells import Environment
    from driftgate.paths import Project

_CORE = "_core"
_STUB = "stub:"
ABSENT = "absent"


@dataclass(frozen=True)
class Upstream:
    """What a consumer is run against.

    Attributes:
        name: As spelled on the command line.
        tier: How real it is.
        folders: What goes on ``sys.path``; empty where no ``flashinfer`` is to be found.
        imagines: For a hand-written shape, what it is, in one line.
        stands_for: The releases that a historic shape stands for.
        degraded: Reason code by environment id, or by pattern of it: where fusion must be off.
    """

    name: str
    tier: Tier
    folders: tuple[Path, ...] = ()
    imagines: str = ""
    stands_for: tuple[str, ...] = ()
    degraded: Mapping[str, str] = field(default_factory=dict)

    def takes_part(self, environment: Environment) -> bool:
        """Whether a run in this environment can show anything that others do not."""
        selected = any(fnmatchcase(self.name, pattern) for pattern in environment.only or ("*",))
        return selected and (environment.always or "*" not in self.degraded)

    def expected_reason(self, environment: Environment) -> str:
        """Return the reason code that is right here, or empty where fusion must be active.

        Whatever keeps an upstream from being used at all comes first (it is written ``"*"``),
        then what the environment does to every upstream, then the more specific pattern.
        """
        everywhere = self.degraded.get("*", "")
        patterns = sorted((each for each in self.degraded if each != "*"), key=len, reverse=True)
        matching = (each for each in patterns if fnmatchcase(environment.id, each))
        here = next((self.degraded[each] for each in matching), "")
        return everywhere or here or environment.expects


def find_upstream(name: str, project: Project) -> Upstream:
    """Return the upstream that ``name`` spells.

    Raises:
        UnknownNameError: There is no such upstream.
        InvalidDataError: Its ``shape.toml`` cannot be used.
    """
    if name == ABSENT:
        return Upstream(ABSENT, Tier.STUB, degraded={"*": "no-flashinfer"})
    folder = project.stubs / name.removeprefix(_STUB)
    if not name.startswith(_STUB) or not (folder / "shape.toml").is_file():
        raise UnknownNameError("upstream", name, tuple(upstream_names(project)))
    shape = read_toml(folder / "shape.toml")
    degraded = shape.get("degraded", {})
    if not all(isinstance(reason, str) for reason in degraded.values()):
        raise InvalidDataError(
            folder / "shape.toml", "[degraded] holds a value that is no text", "write reason codes"
        )
    return Upstream(
        name,
        Tier.STUB,
        (folder, project.stubs / _CORE),
        shape.get("imagines", ""),
        tuple(shape.get("stands_for", ())),
        degraded,
    )


def upstream_names(project: Project) -> list[str]:
    """Every upstream of the stub tier, historic shapes first, in the order of their names."""
    shapes = [path.parent.name for path in project.stubs.glob("*/shape.toml")]
    historic = [shape for shape in shapes if shape.startswith("v")]
    imagined = [shape for shape in shapes if not shape.startswith("v")]
    ordered = sorted(historic, key=_numbers) + sorted(imagined)
    return [*(_STUB + shape for shape in ordered), ABSENT]


def _numbers(shape: str) -> list[tuple[bool, int, str]]:
    # v0_6_9 comes before v0_6_10, and v0_6_10 before v0_6_10_post1
    parts = shape.removeprefix("v").split("_")
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
