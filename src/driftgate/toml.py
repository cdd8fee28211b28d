"""Read a TOML file, or say in one line why it cannot be read or used."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING, Any, get_args, get_origin

from driftgate.errors import InvalidDataError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# What a value is called, and one that is right.
_SPELLED: dict[Any, tuple[str, str]] = {
    str: ("text", '"…"'),
    int: ("whole number", "4"),
    bool: ("switch", "true or false"),
    dt.date: ("date", "2030-01-31"),
    tuple[str, ...]: ("list of texts", '["…"]'),
    tuple[int, ...]: ("list of whole numbers", "[0, 1]"),
    tuple[tuple[int, ...], ...]: ("list of lists of whole numbers", "[[0, 1], [2, 3]]"),
    dict[str, str]: ("table of texts", 'lines like name = "…"'),
    dict[str, Any]: ("table", "lines like name = 1"),
}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the document at ``path``.

    Raises:
        InvalidDataError: The file is missing or is not TOML.
    """
    try:
        return parse_toml(path, path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise InvalidDataError(path, reason.lower(), "restore it from version control") from error
    except UnicodeDecodeError as error:
        raise InvalidDataError(path, f"not TOML ({error})", "mend that line") from error


def parse_toml(path: Path | str, text: str) -> dict[str, Any]:
    """Return the document that was read from ``path``.

    Raises:
        InvalidDataError: It is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidDataError(path, f"not TOML ({error})", "mend that line") from error


def rows(
    path: Path, document: Mapping[str, Any], name: str, where: str = "", within: str = ""
) -> list[dict[str, Any]]:
    """Return the ``[[name]]`` tables of ``document``, none where there are none.

    Args:
        path: The file.
        document: The file, or one of its tables.
        name: What they are called.
        where: The table, as the message calls it; empty for the file.
        within: Its own name in the file; empty for the file.

    Raises:
        InvalidDataError: There is something else by that name.
    """
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        problem = (
            f"{where}: {name} is no list of tables" if where else f"{name} is no list of tables"
        )
        heading = f"{within}.{name}" if within else name
        raise InvalidDataError(path, problem, f"write [[{heading}]] rows")
    return found


def only_rows(path: Path, name: str) -> list[dict[str, Any]]:
    """Read a file that holds nothing but ``[[name]]`` tables.

    Raises:
        InvalidDataError: It cannot be read, or holds something else.
    """
    document = read_toml(path)
    _known(path, "the file", document, (name,))
    return rows(path, document, name)


def check(
    path: Path,
    where: str,
    table: Mapping[str, Any],
    kinds: Mapping[str, Any],
    required: Iterable[str] = (),
) -> None:
    """Insist on a table's keys and on the types of its values.

    Args:
        path: The file.
        where: The table, as the message calls it.
        table: What the file holds there.
        kinds: Each key's type, spelled as an annotation: ``str``, ``tuple[int, ...]`` for an array,
            ``dict[str, str]`` for a table.
        required: Keys that must be there, and not be empty.

    Raises:
        InvalidDataError: One is unknown, missing, or of another type.
    """
    for key in required:
        if table.get(key, "") == "":
            raise InvalidDataError(path, f"{where} lacks {key!r}", "add it")
    _known(path, where, table, kinds)
    for key, value in table.items():
        if not _is(value, kinds[key]):
            spelled, right = _SPELLED[kinds[key]]
            raise InvalidDataError(path, f"{where}: {key} is no {spelled}", f"write {right}")


def _known(path: Path, where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    for key in table:
        if key not in known:
            problem = f"{where} has the unknown key {key!r}"
            raise InvalidDataError(path, problem, f"use one of {', '.join(known)}")


def _is(value: Any, kind: Any) -> bool:  # noqa: ANN401 - TOML's, and an annotation
    if kind is Any:
        return True
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(_is(each, inner[0]) for each in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(_is(each, inner[1]) for each in value.values())
    return type(value) is kind  # and no subclass: true is no number, a time of day no date
