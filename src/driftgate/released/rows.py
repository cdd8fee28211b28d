"""The rows of ``matrix/consumers/``: what to take out of which distribution, and its pins."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PINS = "pins.toml"


_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class AdapterRow:
    """How a project's modules are driven.

    Attributes:
        driver: The driver's file in ``driftgate/drive/drivers/``.
        driven: Base names of the files that are run, dependencies first.
        operations: Names in the modules that every release has, by operation.
        optional: Names in the modules that some releases have, by operation.
        standins: Name of the answer by dotted path of the rest of the project.
        places: By base name, the folder in the project where a file belongs.
        not_run: Why the modules are not judged in an environment, by pattern of its id.
        preload: Modules of others that take long to import.
    """

    driver: str
    driven: tuple[str, ...]
    operations: Mapping[str, str]
    optional: Mapping[str, str]
    standins: Mapping[str, str]
    places: Mapping[str, str]
    not_run: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    preload: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConsumerRow:
    """A project whose releases can be consumers.

    Attributes:
        name: As spelled before ``==`` on the command line; the row's file name.
        distribution: Its name on the package index.
        files: Names of the files that may call the upstream, with as much of their folders as it
            takes to tell them from others.
        pins: The FlashInfer release that each of its releases pins, where that is recorded.
        adapter: How they are driven; None where they are only read.
    """

    name: str
    distribution: str
    files: tuple[str, ...]
    pins: dict[str, str]
    adapter: AdapterRow | None = None


def load_consumer_rows(matrix: Path) -> dict[str, ConsumerRow]:
    """Read all rows below the ``matrix`` folder, by name.

    Raises:
        InvalidDataError: A file is damaged.
    """
    folder = matrix / "consumers"
    pins = _load_pins(folder / _PINS)
    paths = [path for path in sorted(folder.glob("*.toml")) if path.name != _PINS]
    documents = {path.stem: read_toml(path) for path in paths}
    return {
        path.stem: _load_row(path, _whole(path, documents), pins.get(path.stem, {}))
        for path in paths
    }


def _whole(path: Path, documents: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a document with what it takes over from the one that it is ``like``."""
    document = dict(documents[path.stem])
    like = document.pop("like", None)
    if like is None:
        return document
    if like not in documents:
        raise InvalidDataError(path, f"is like {like!r}, which is no row", "name one beside it")
    for key, value in documents[like].items():
        taken = {**value, **document.get(key, {})} if isinstance(value, dict) else value
        if isinstance(value, dict) or key not in document:
            document[key] = taken
    return document


def _load_row(path: Path, document: dict[str, Any], pins: dict[str, str]) -> ConsumerRow:
    try:
        files = tuple(str(name) for name in document["files"])
        adapter = _adapter(document, files) if "driver" in document else None
        return ConsumerRow(path.stem, str(document["distribution"]), files, pins, adapter)
    except (KeyError, TypeError) as error:
        raise InvalidDataError(path, f"lacks {error}", "see the rows beside it") from error


def _adapter(document: dict[str, Any], files: tuple[str, ...]) -> AdapterRow:
    return AdapterRow(
        driver=str(document["driver"]),
        driven=tuple(document.get("driven", files)),
        operations=_names(document["operations"]),
        optional=_names(document.get("optional", {})),
        standins=_names(document["standins"]),
        places=_names(document["places"]),
        not_run=_names(document.get("not_run", {})),
        preload=tuple(document.get("preload", ())),
    )


def _names(table: Any) -> dict[str, str]:  # noqa: ANN401 - whatever the file holds there
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise TypeError(f"a table of names (it has {table!r:.40})")
    return table


def _load_pins(path: Path) -> dict[str, dict[str, str]]:
    try:
        return {
            name: {
                str(Version(release)): str(Version(row["flashinfer"]))
                for release, row in rows.items()
            }
            for name, rows in read_toml(path).items()
        }
    except (KeyError, TypeError, AttributeError, InvalidVersion) as error:
        problem = f"a row is no pin ({error})"
        raise InvalidDataError(path, problem, "see the rows beside it") from error
