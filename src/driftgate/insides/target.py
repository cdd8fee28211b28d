"""The data that says what is looked for inside a release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class LowLevel:
    """A callable of a device or a library.

    Attributes:
        name: The end of its dotted name.
        peers: The parameter that says over which peers it works; empty where none does.
        position: That parameter's place, where the callee's signature is not at hand.
        import_only: Whether it matters only while importing.
    """

    name: str
    peers: str = ""
    position: int = 0
    import_only: bool = False

    def matches(self, callee: str) -> bool:
        """Whether the dotted name ``callee`` means it, or a member of it."""
        return f".{self.name}." in f".{callee}." if self.import_only else self._ends(callee)

    def _ends(self, callee: str) -> bool:
        return f".{callee}".endswith(f".{self.name}")


@dataclass(frozen=True)
class EntryRow:
    """A function or class that consumers call.

    Attributes:
        id: ``module:name``, where consumers look for it.
        select: The parameter by which it branches; empty where it does not.
        values: Values of ``select``, a branch each.
        instances: Ids of classes of which ``select`` is an instance, a branch each.
        choice: The value by which it chooses among ``values`` itself; empty where it does not.
        follow: Whether to look for what its calls reach.
    """

    id: str
    select: str = ""
    values: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    choice: str = ""
    follow: bool = False


@dataclass(frozen=True)
class InsidesTarget:
    """What is looked for.

    Attributes:
        root: The package that imports and calls are followed within.
        low_level: Callables of devices and libraries.
        entries: What consumers call.
        distributions: Which distribution brings a module.
        generic_since: The first Python on which a class can be subscripted.
    """

    root: str
    low_level: tuple[LowLevel, ...] = ()
    entries: tuple[EntryRow, ...] = ()
    distributions: dict[str, str] = field(default_factory=dict)
    generic_since: dict[str, Version] = field(default_factory=dict)

    def reached(self, callee: str) -> LowLevel | None:
        """Return the row for a call of ``callee`` outside imports, or None."""
        for row in self.low_level:
            if not row.import_only and row.matches(callee):
                return row
        return None


def load_insides_target(path: Path) -> InsidesTarget:
    """Read ``insides.toml``.

    Raises:
        InvalidDataError: It is missing, is not TOML, or a row is not what it must be.
    """
    document = read_toml(path)
    try:
        return InsidesTarget(
            root=document["root"],
            low_level=tuple(LowLevel(**row) for row in document.get("low_level", ())),
            entries=tuple(EntryRow(**_tuples(row)) for row in document.get("entry", ())),
            distributions=dict(document.get("distributions", {})),
            generic_since={
                name: Version(since) for name, since in document.get("generic_since", {}).items()
            },
        )
    except (KeyError, TypeError, InvalidVersion) as error:
        raise InvalidDataError(
            path, f"a row is wrong ({error})", "see the rows beside it"
        ) from error


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
