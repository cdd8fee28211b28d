"""Hashes of files' content: same bytes, same hash."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@cache
def digest_of(roots: tuple[Path, ...]) -> str:
    """Return one hash of all Python and TOML files at or below ``roots``, their names included.

    Hidden files and folders do not count, nor does what only has a file's name: an editor's lock
    beside a file is a link to nowhere.
    """
    total = hashlib.sha256()
    for root in roots:
        files = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in files:
            hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
            if path.suffix in {".py", ".toml"} and not hidden and path.is_file():
                total.update(f"{path.relative_to(root.parent)}\0".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def modules_beside(file: Path) -> tuple[Path, ...]:
    """Return a module's file, and those of the modules that it may import from its folder.

    Only the folder itself: it may be somebody's home.
    """
    beside = (path for path in file.parent.glob("*.py") if not path.name.startswith("."))
    return (file, *sorted(beside))
