"""What rows add to a report: what would mend a breach, and public reports of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_suggestions(path: Path) -> Mapping[str, str]:
    """Return a sentence or two by contract, of ``matrix/suggestions.toml``.

    Raises:
        InvalidDataError: The file is damaged.
    """
    rows = read_toml(path)
    for contract, text in rows.items():
        if not isinstance(text, str):
            raise InvalidDataError(path, f"{contract} is no text", "write a sentence")
    return rows


def read_refs(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the public reports by incident, of ``matrix/incidents.toml``; as ``project#number``.

    Raises:
        InvalidDataError: The file is damaged.
    """
    rows = read_toml(path).get("incident", [])
    try:
        return {row["id"]: tuple(row.get("refs", ())) for row in rows}
    except (KeyError, TypeError) as error:
        raise InvalidDataError(path, f"a row lacks {error}", "see the rows beside it") from error
