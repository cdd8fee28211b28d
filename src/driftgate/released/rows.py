"""The rows of ``matrix/consumers/``: what to take out of which distribution, and its pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path

_PINS = "pins.toml"


@dataclass(frozen=True)
class ConsumerRow:
    """A project whose releases can be consumers.

    Attributes:
        name: As spelled before ``==`` on the command line; the row's file name.
        distribution: Its name on the package index.
        files: Base names of the files that may call the upstream.
        pins: The FlashInfer release that each of its releases pins, where that is recorded.
    """

    name: str
    distribution: str
    files: tuple[str, ...]
    pins: dict[str, str]


def load_consumer_rows(matrix: Path) -> dict[str, ConsumerRow]:
    """Read all rows below the ``matrix`` folder, by name.

    Raises:
        InvalidDataError: A file is damaged.
    """
    folder = matrix / "consumers"
    pins = _load_pins(folder / _PINS)
    return {
        path.stem: _load_row(path, pins.get(path.stem, {}))
        for path in sorted(folder.glob("*.toml"))
        if path.name != _PINS
    }


def _load_row(path: Path, pins: dict[str, str]) -> ConsumerRow:
    document = read_toml(path)
    try:
        files = tuple(str(name) for name in document["files"])
        return ConsumerRow(path.stem, str(document["distribution"]), files, pins)
    except (KeyError, TypeError) as error:
        raise InvalidDataError(path, f"lacks {error}", "see the rows beside it") from error


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
