"""The rows of ``matrix/environments.toml``, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_type_hints

from driftgate.cells import Environment
from driftgate.drive.scripts import script_names
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.toml import check, only_rows
from driftgate.vocabulary import DTYPES, FAULTS, REASONS

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_KINDS = get_type_hints(Environment)
_REQUIRED = ("id", "why", "script")
_COUNTS = ("sm", "nodes", "world_size", "max_token_num", "hidden_dim")


def read_environments(path: Path) -> dict[str, Environment]:
    """Return the environments by id, in the file's order.

    Raises:
        InvalidDataError: A row has an unknown key, lacks one, has a value that cannot be, or
            repeats an id.
    """
    environments: dict[str, Environment] = {}
    for row in only_rows(path, "environment"):
        environment = _environment(path, row)
        if environment.id in environments:
            raise InvalidDataError(path, f"two rows are named {environment.id!r}", "rename one")
        environments[environment.id] = environment
    if not environments:
        raise InvalidDataError(path, "no [[environment]] row", "add one")
    return environments


def _environment(path: Path, row: dict[str, Any]) -> Environment:
    where = f"row {row.get('id', '?')!r}"
    check(path, where, row, _KINDS, _REQUIRED)
    environment = Environment.from_dict(row)
    words: dict[str, tuple[Collection[str], Collection[str]]] = {
        "script": ([environment.script], script_names()),
        "dtype": ([environment.dtype], DTYPES),
        "expects": ([environment.expects], {"", *REASONS}),
        "faults": (environment.faults, FAULTS),
    }
    for key, (given, known) in words.items():
        for word in given:
            if word not in known:
                unknown = UnknownNameError(key, word, tuple(sorted(known)))
                raise InvalidDataError(path, f"{where}: {unknown}", "mend that word")
    for key in _COUNTS:
        if getattr(environment, key) < 1:
            raise InvalidDataError(path, f"{where}: {key} is not positive", "write 1 or more")
    ranks = sorted(environment.group)
    if not ranks or ranks != [each for each in range(environment.world_size) if each in ranks]:
        raise InvalidDataError(
            path,
            f"{where}: group {list(environment.group)} is not within the world's ranks",
            "raise world_size or mend the group",
        )
    return environment
