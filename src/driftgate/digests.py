"""Hashes of files' content: same bytes, same hash."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@cache
def digest_of(roots: tuple[Path, ...]) -> str:
    """Return one hash of all Python and TOML files at or below ``roots``, their names included."""
    total = hashlib.sha256()
    for root in roots:
        files = [root] if root.is_file() else sorted(root.rglob("*"))
        for path in files:
            if path.suffix in {".py", ".toml"}:
                total.update(f"{path.relative_to(root.parent)}\0".encode())
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
