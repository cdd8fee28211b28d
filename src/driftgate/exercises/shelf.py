"""What exercises left, kept by what it depends on: same bytes in, same record out."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.digests import digest_of
from driftgate.exercises.record import Played
from driftgate.kept import keep

if TYPE_CHECKING:
    from driftgate.exercises.record import Wanted

_PACKAGE = Path(__file__).parents[1]
# All that decides how a release is loaded and what befalls it; judging may change.
_PLAYING = tuple(_PACKAGE / name for name in ("drive", "exercises", "probes", "wheels"))
_RECORD = "*.dist-info/RECORD"


class Shelf:
    """A folder of records, one JSON file for each release and exercise.

    Args:
        folder: Where they lie; made when the first is kept.
        seams: ``matrix/seams.toml``.
    """

    def __init__(self, folder: Path, seams: Path) -> None:
        self._folder = folder
        self._seams = seams

    def get(self, wanted: Wanted) -> dict[str, Played]:
        """Return what is kept of the exercises that are wanted, by name."""
        found = {}
        content = self._content(wanted)
        for name in wanted.exercises:
            try:
                record = Played(**json.loads(self._file(content, name).read_bytes()))
            except (OSError, ValueError, TypeError):
                continue  # not there, or damaged: it is played anew
            found[name] = record
        return found

    def put(self, wanted: Wanted, played: dict[str, Played]) -> None:
        """Keep records, but those of exercises that died: that may be the machine's doing."""
        content = self._content(wanted)
        for name, record in played.items():
            if not record.error:
                keep(self._file(content, name), json.dumps(asdict(record)))

    def _file(self, content: str, name: str) -> Path:
        key = hashlib.sha256(f"{content}\0{name}".encode()).hexdigest()[:32]
        return self._folder / f"{key}.json"

    def _content(self, wanted: Wanted) -> str:
        """Return a hash of the release, of what it stands on, and of what runs it."""
        package = wanted.folder / "flashinfer"
        records = sorted(wanted.folder.glob(_RECORD))
        # A record says what all files of a release are; of a tree they are looked at themselves.
        looked_at = package / "comm" if records else package
        parts = [
            *(path.read_text(encoding="utf-8") for path in records),
            digest_of((looked_at, self._seams, *_PLAYING)),
            wanted.version,
            platform.python_version(),
            version("torch"),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
