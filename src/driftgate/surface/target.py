"""The target file: which package is read, and which of its symbols consumers use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Watched:
    """One row of the target file.

    Attributes:
        id: ``module:name``, or a module's name alone.
        consumers: Who uses it.
        why: What for.
        members: The members that are watched of a class; empty means all public ones.
    """

    id: str
    consumers: tuple[str, ...]
    why: str
    members: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The module that consumers import it from."""
        return self.id.partition(":")[0]

    @property
    def name(self) -> str:
        """Its name there; empty for a module."""
        return self.id.partition(":")[2]


@dataclass(frozen=True)
class Target:
    """What is watched.

    Attributes:
        project: Name on the package index.
        package: The import package.
        first_release: Releases before this one are not looked at.
        watched: The rows, in file order.
    """

    project: str
    package: str
    first_release: str
    watched: tuple[Watched, ...]


def load_target(path: Path) -> Target:
    """Read the target file.

    Raises:
        InvalidDataError: It is missing, is not TOML, or a row lacks a field or repeats an id.
    """
    document = read_toml(path)
    try:
        watched = tuple(
            Watched(
                id=row["id"],
                consumers=tuple(row["consumers"]),
                why=row["why"],
                members=tuple(row.get("members", ())),
            )
            for row in document["watched"]
        )
        target = Target(
            document["project"], document["package"], document["first_release"], watched
        )
    except (KeyError, TypeError) as error:
        raise InvalidDataError(path, f"lacks {error}", "see the rows beside it") from error
    ids = [row.id for row in watched]
    for repeated in sorted({name for name in ids if ids.count(name) > 1}):
        raise InvalidDataError(path, f"watches {repeated} twice", "keep one row")
    return target
