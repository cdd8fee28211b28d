"""``releases.toml``: what the index says of every recorded release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import tomlkit
from packaging.version import Version

from driftgate.errors import InvalidDataError
from driftgate.surface.store import write_whole
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class ReleaseRow:
    """One release and the archive that its surface was read from.

    Attributes:
        version: The release.
        filename: The archive.
        sha256: The archive's hash.
        size: The archive's bytes.
        uploaded: ISO date; empty where the index does not say.
        requires_python: As the index or the metadata says.
        requires_dist: As the metadata says; empty where it leaves that open.
        yanked: Whether the index withdrew it.
    """

    version: str
    filename: str
    sha256: str
    size: int
    uploaded: str
    requires_python: str
    requires_dist: tuple[str, ...] = ()
    yanked: bool = False


def load_releases(path: Path) -> dict[str, ReleaseRow]:
    """Read the rows by version, oldest first; none where the file does not exist yet.

    Raises:
        InvalidDataError: The file is damaged.
    """
    if not path.exists():
        return {}
    rows = read_toml(path).get("release", {})
    try:
        return {
            version: ReleaseRow(
                version=version, **{**row, "requires_dist": tuple(row.get("requires_dist", ()))}
            )
            for version, row in rows.items()
        }
    except (TypeError, AttributeError) as error:
        remedy = "restore it, or record all releases anew"
        raise InvalidDataError(path, f"a row is not a release ({error})", remedy) from error


def save_releases(path: Path, rows: Iterable[ReleaseRow]) -> None:
    """Write the rows, oldest release first; the same rows give the same bytes."""
    document = tomlkit.document()
    document.add(tomlkit.comment("Written by `driftgate surface record`; do not edit."))
    table = tomlkit.table(is_super_table=True)
    for row in sorted(rows, key=lambda row: Version(row.version)):
        table.add(row.version, _row(row))
    document.add("release", table)
    write_whole(path, tomlkit.dumps(document))


def _row(row: ReleaseRow) -> tomlkit.items.Table:
    item = tomlkit.table()
    for name in ("filename", "sha256", "size", "uploaded", "requires_python"):
        item.add(name, getattr(row, name))
    requires = tomlkit.array()
    requires.extend(row.requires_dist)
    item.add("requires_dist", requires.multiline(multiline=bool(row.requires_dist)))
    if row.yanked:
        item.add("yanked", value=True)
    return item
