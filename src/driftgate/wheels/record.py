"""Whether unpacked files are what their wheel's own RECORD says."""

from __future__ import annotations

import base64
import csv
import hashlib
from typing import TYPE_CHECKING

from driftgate.wheels.unpack import is_wanted

if TYPE_CHECKING:
    from pathlib import Path

# Written by us beside what is unpacked; no wheel has it.
ENTRY = "driftgate-entry.json"
_CACHES = "__pycache__"


def damaged_file(folder: Path, below: str = "") -> str:
    """Return the first file that is not as RECORD says, is missing or too much; or empty.

    What the interpreter caches beside the files is left out.

    Args:
        folder: Where the wheel is unpacked, kernel sources left out.
        below: Look only at what lies below this folder of it.
    """
    records = list(folder.glob("*.dist-info/RECORD"))
    if len(records) != 1:
        return "RECORD"
    try:
        with records[0].open(encoding="utf-8", newline="") as file:
            hashes = {row[0]: row[1] for row in csv.reader(file) if len(row) > 1}
    except (OSError, ValueError, csv.Error):
        return records[0].relative_to(folder).as_posix()
    wanted = {
        name
        for name, value in hashes.items()
        if value and is_wanted(name) and name.startswith(below)
    }
    there = {path.relative_to(folder) for path in (folder / below).rglob("*") if path.is_file()}
    names = {path.as_posix() for path in there if _CACHES not in path.parts}
    own = {ENTRY, records[0].relative_to(folder).as_posix()}
    for name in sorted((wanted | names) - own):
        if name not in names or hashes.get(name) != _recorded_hash(folder / name):
            return name
    return ""


def _recorded_hash(path: Path) -> str:
    """Spell a file's hash as RECORD does (PEP 376, PEP 427)."""
    try:
        digest = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return ""
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
