"""The project's own pin: the release that it is tried and shipped with.

It is ``[tool.driftgate] flashinfer`` in the checkout's ``pyproject.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import tomlkit
from packaging.version import InvalidVersion, Version

from driftgate.errors import DriftgateError, InvalidDataError
from driftgate.surface.store import write_whole
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path

_FILE = "pyproject.toml"
_KEY = "flashinfer"


class NoPinError(DriftgateError):
    """Nothing says which release the pin is moved from.

    Attributes:
        where: What declares no pin.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(f"{where} declares no release; say which with --from")


def read_pin(root: Path) -> str:
    """Return the release that the checkout at ``root`` pins.

    Raises:
        NoPinError: It pins none.
        InvalidDataError: The file cannot be read, or the pin is no version.
    """
    file = root / _FILE
    if not file.is_file():
        raise NoPinError("this folder")
    pin = read_toml(file).get("tool", {}).get("driftgate", {}).get(_KEY)
    if pin is None:
        raise NoPinError(f"[tool.driftgate] in {file.name}")
    try:
        return str(Version(pin))
    except (InvalidVersion, TypeError) as error:
        problem = f"[tool.driftgate] {_KEY} is no version ({pin!r})"
        raise InvalidDataError(file, problem, "write it as 1.2.3") from error


def move_pin(root: Path, release: str) -> None:
    """Make the checkout at ``root`` pin ``release``; the rest of the file stays as it is."""
    file = root / _FILE
    document = tomlkit.parse(file.read_text(encoding="utf-8"))
    document["tool"]["driftgate"][_KEY] = release
    write_whole(file, tomlkit.dumps(document))


def admitted_pythons(root: Path) -> str:
    """Return the range of Pythons that the checkout at ``root`` declares; empty for any."""
    file = root / _FILE
    if not file.is_file():
        return ""
    return str(read_toml(file).get("project", {}).get("requires-python", ""))
