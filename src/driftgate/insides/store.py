"""The recorded insides on disk: one JSON file a release, as surfaces are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.insides.serial import insides_from_json, insides_to_json
from driftgate.surface.store import json_text, load_recorded, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.insides.model import Insides


def load_insides(folder: Path, release: str) -> Insides:
    """Read the recorded insides of ``release``.

    Raises:
        InvalidDataError: They were never recorded, or their file is damaged.
    """
    if not (folder / f"{release}.json").is_file():
        remedy = f"run `driftgate surface record {release}`"
        raise InvalidDataError(release, "recorded without insides", remedy)
    return load_recorded(folder, release, insides_from_json, "insides")


def save_insides(folder: Path, insides: Insides) -> Path:
    """Write ``insides`` into ``folder``, whole or not at all."""
    file = folder / f"{insides.release}.json"
    write_whole(file, json_text(insides_to_json(insides)))
    return file
