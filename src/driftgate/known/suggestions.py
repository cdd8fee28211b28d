"""``matrix/suggestions.toml``: what would mend a breach, by contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def read_suggestions(path: Path) -> Mapping[str, str]:
    """Return a sentence or two by contract.

    Raises:
        InvalidDataError: The file is damaged.
    """
    rows = read_toml(path)
    for contract, text in rows.items():
        if not isinstance(text, str):
            raise InvalidDataError(path, f"{contract} is no text", "write a sentence")
    return rows
