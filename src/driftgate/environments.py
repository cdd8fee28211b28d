"""The rows of ``matrix/environments.toml``, as values."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from driftgate.cells import Environment
from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS = {field.name: field for field in fields(Environment)}


def read_environments(path: Path) -> dict[str, Environment]:
    """Return the environments by id, in the file's order.

    Raises:
        InvalidDataError: A row has an unknown key, lacks one, or repeats an id.
    """
    environments: dict[str, Environment] = {}
    for row in read_toml(path).get("environment", []):
        environment = _environment(path, row)
        if environment.id in environments:
            raise InvalidDataError(path, f"two rows are named {environment.id!r}", "rename one")
        environments[environment.id] = environment
    if not environments:
        raise InvalidDataError(path, "no [[environment]] row", "add one")
    return environments


def _environment(path: Path, row: dict[str, Any]) -> Environment:
    name = row.get("id", "?")
    for key in row.keys() - _FIELDS.keys():
        raise InvalidDataError(
            path, f"row {name!r} has the unknown key {key!r}", f"use one of {', '.join(_FIELDS)}"
        )
    for key in ("id", "why", "script"):
        if key not in row:
            raise InvalidDataError(path, f"row {name!r} lacks {key!r}", "add it")
    environment = Environment.from_dict(row)
    if not environment.group or max(environment.group) >= environment.world_size:
        raise InvalidDataError(
            path,
            f"row {name!r}: group {list(environment.group)} is not within the world's ranks",
            "raise world_size or mend the group",
        )
    return environment
