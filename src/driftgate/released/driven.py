"""Consumers that other projects ship, ready to be driven."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.consumers import OURS, Consumer, find_consumer
from driftgate.drive.job import Adapter
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.index.settings import read_settings
from driftgate.released.errors import FilesMissingError, NoSuchModuleError
from driftgate.released.fetch import FILES_FOLDER, fetch_consumer
from driftgate.released.rows import load_consumer_rows
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.paths import Project
    from driftgate.released.rows import AdapterRow, ConsumerRow

ALL = "all"
_EXACTLY = "=="
_AT = "@"
_FILE = "file:"


def choose_consumers(name: str, project: Project) -> list[Consumer]:
    """Return what ``name`` spells; ``all`` is ours and the newest pinned release of each.

    Raises:
        UnknownNameError: It spells no consumer.
        DriftgateError: A release cannot be had, or is no such module.
    """
    if name != ALL:
        return [choose_consumer(name, project)]
    rows = [row for row in _driven_rows(project).values() if row.pins]
    return [find_consumer(OURS), *(released_consumer(row, _newest(row)) for row in rows)]


def choose_consumer(name: str, project: Project) -> Consumer:
    """Return ``ours``, ``file:PATH``, a release ``sglang==0.5.23``, or its module ``sglang@PATH``.

    Raises:
        UnknownNameError: It spells no consumer.
        DriftgateError: It cannot be had, or is no such module.
    """
    if name == OURS or name.startswith(_FILE):
        return find_consumer(name)
    rows = _driven_rows(project)
    spelled, exactly, version = name.partition(_EXACTLY)
    if exactly and spelled in rows:
        return released_consumer(rows[spelled], version)
    spelled, at, path = name.partition(_AT)
    if at and spelled in rows:
        return _local_consumer(rows[spelled], name, Path(path).resolve())
    forms = (f"{row}{form}" for row in rows for form in (f"{_EXACTLY}VERSION", f"{_AT}PATH"))
    raise UnknownNameError("consumer", name, (OURS, ALL, f"{_FILE}PATH", *forms))


def released_consumer(row: ConsumerRow, version: str) -> Consumer:
    """Return one release of a project, fetched where the cache does not have it.

    Raises:
        UnknownNameError: That is no version.
        DriftgateError: The release cannot be had, or is no such module.
    """
    try:
        release = str(Version(version))
    except InvalidVersion as error:
        kind = f"release of {row.name}"
        raise UnknownNameError(kind, version, ("versions, as 1.2.3",)) from error
    cache = cache_folder()
    found = fetch_consumer(row, release, cache, read_settings())
    files = []
    for source in found.files:
        digest = hashlib.sha256(source.text.encode("utf-8")).hexdigest()
        files.append((source.path, cache / FILES_FOLDER / digest))
    pinned = row.pins.get(release) or found.pinned()
    return _consumer(row, f"{row.name}{_EXACTLY}{release}", files, pinned, found.filename)


def known_releases(row: ConsumerRow) -> list[str]:
    """Return the releases whose pins are recorded, oldest first."""
    return sorted(row.pins, key=Version)


def _local_consumer(row: ConsumerRow, name: str, path: Path) -> Consumer:
    """Return the module of a checkout: one file, or a folder that holds all of them."""
    adapter = _adapter(row)
    candidates = [path] if path.is_file() else [path / each for each in adapter.driven]
    files = [
        (f"{adapter.places[file.name]}/{file.name}", file)
        for file in candidates
        if file.is_file() and file.name in adapter.places
    ]
    if not files:
        wanted = ", ".join(adapter.driven)
        raise InvalidDataError(path, f"holds no {wanted}", f"give {row.name}'s file or its folder")
    return _consumer(row, name, files, "", str(path))


def _consumer(
    row: ConsumerRow, name: str, files: list[tuple[str, Path]], pinned: str, where: str
) -> Consumer:
    adapter = _adapter(row)
    by_name = {path.rpartition("/")[2]: (path, str(file)) for path, file in files}
    chosen = tuple(by_name[each] for each in adapter.driven if each in by_name)
    if not chosen:
        raise FilesMissingError(where, adapter.driven)
    bound = {each for path, file in chosen for each in _bound_names(path, Path(file))}
    for operation, wanted in adapter.operations.items():
        if wanted not in bound:
            raise NoSuchModuleError(name, operation, wanted)
    return Consumer(
        name,
        name,
        Path(chosen[0][1]),
        Adapter(
            adapter.driver,
            chosen,
            dict(adapter.standins),
            dict(adapter.operations),
            dict(adapter.optional),
            adapter.preload,
        ),
        pinned,
        adapter.not_run,
    )


def _bound_names(path: str, file: Path) -> Iterator[str]:
    """Yield the functions and classes that a module defines at its top level."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise InvalidDataError(
            path, f"is no Python module ({error})", "give another file"
        ) from error
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, (ast.If, ast.Try, ast.With)):
                pending.append(node)


def _driven_rows(project: Project) -> dict[str, ConsumerRow]:
    rows = load_consumer_rows(project.matrix)
    return {name: row for name, row in rows.items() if row.adapter is not None}


def _adapter(row: ConsumerRow) -> AdapterRow:
    assert row.adapter is not None, "a driven row"  # noqa: S101 - see _driven_rows
    return row.adapter


def _newest(row: ConsumerRow) -> str:
    return known_releases(row)[-1]
