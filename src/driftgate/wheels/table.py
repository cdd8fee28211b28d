"""The rows of ``matrix/seams.toml``: which stand-ins and seams a release needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class SeamKind(str, Enum):
    """What takes the place of a name."""

    KERNEL_MODULE = "kernel-module"
    SYMM_DEVICE_MEMORY = "symm-device-memory"
    SHARED_BUFFERS = "shared-buffers"
    TORCH_SYMMETRIC_MEMORY = "torch-symmetric-memory"


@dataclass(frozen=True)
class Seam:
    """One place where a release's own Python ends.

    Attributes:
        id: The row's name.
        why: What ends there, in one line.
        kind: What takes its place.
        releases: The releases that need it.
        module: Dotted name of the module that holds the name.
        name: The name that is replaced.
    """

    id: str
    why: str
    kind: SeamKind
    releases: SpecifierSet
    module: str
    name: str

    def applies_to(self, version: str) -> bool:
        """Whether ``version`` needs this seam."""
        return self.releases.contains(version, prereleases=True)


@dataclass(frozen=True)
class Kernel:
    """What is known of one kernel's entry point.

    Attributes:
        parameters: Their names, in order. A release passes a prefix.
        rank_counts: The rank counts that it is compiled for.
    """

    parameters: tuple[str, ...]
    rank_counts: tuple[int, ...]


@dataclass(frozen=True)
class Degraded:
    """What some releases cannot do on a CPU, though the stubs that stand for them can.

    Attributes:
        environment: Pattern of the environments that ask for it.
        reason: The reason code that a consumer must give there.
        releases: The releases.
    """

    environment: str
    reason: str
    releases: SpecifierSet


@dataclass(frozen=True)
class SeamTable:
    """All rows.

    Attributes:
        packages: Packages that may be stood in for.
        only_while_importing: Those of them that are forgotten after the import.
        backends: Backend by the module that allocates for it.
        seams: The seams.
        kernels: What is known of each kernel, by name.
        degraded: What releases cannot do on a CPU.
    """

    packages: tuple[str, ...]
    only_while_importing: tuple[str, ...]
    backends: Mapping[str, str]
    seams: tuple[Seam, ...]
    kernels: Mapping[str, Kernel]
    degraded: tuple[Degraded, ...]

    def degraded_on_a_cpu(self, version: str) -> dict[str, str]:
        """Reason code by environment, where ``version`` cannot do on a CPU what it is asked for."""
        return {
            row.environment: row.reason
            for row in self.degraded
            if row.releases.contains(version, prereleases=True)
        }

    def for_release(self, version: str) -> tuple[Seam, ...]:
        """The seams that ``version`` needs."""
        return tuple(seam for seam in self.seams if seam.applies_to(version))


@cache
def read_seam_table(path: Path) -> SeamTable:
    """Read ``matrix/seams.toml``.

    Raises:
        InvalidDataError: The file is missing, is not TOML, or lacks or misspells a field.
    """
    document = read_toml(path)
    try:
        standins = document["standins"]
        return SeamTable(
            packages=tuple(standins["packages"]),
            only_while_importing=tuple(standins["only_while_importing"]),
            backends=dict(document["backends"]),
            seams=tuple(_seam(row) for row in document["seam"]),
            kernels={
                name: Kernel(tuple(row["parameters"]), tuple(row["rank_counts"]))
                for name, row in document["kernel"].items()
            },
            degraded=tuple(
                Degraded(row["environment"], row["reason"], SpecifierSet(row["releases"]))
                for row in document.get("degraded", [])
            ),
        )
    except KeyError as error:
        raise InvalidDataError(path, f"no field {error}", "add it") from error
    except (TypeError, ValueError, InvalidSpecifier) as error:
        raise InvalidDataError(path, str(error), "mend that row") from error


def _seam(row: dict[str, Any]) -> Seam:
    fields = dict(row)
    kind, releases = SeamKind(fields.pop("kind")), SpecifierSet(fields.pop("releases"))
    return Seam(kind=kind, releases=releases, **fields)
