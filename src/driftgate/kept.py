"""Keep what can be worked out again: to lose it costs time, and no run fails for it."""

from __future__ import annotations

import json
import logging
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from driftgate.surface.store import write_whole

if TYPE_CHECKING:
    from pathlib import Path

logger = logging.getLogger(__name__)


def keep(file: Path, text: str) -> None:
    """Write ``text``, whole or not at all; where that cannot be, say so once a folder."""
    try:
        write_whole(file, text)
    except OSError as error:
        _warn(file.parent, error.strerror or "unwritable")


class Keepable(Protocol):
    """A value that goes into JSON and comes back."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers."""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:  # noqa: ANN401 - the class itself
        """Rebuild it from :meth:`as_dict`."""


Value = TypeVar("Value", bound=Keepable)


class KeptFolder(Generic[Value]):
    """A folder of values, one JSON file a key.

    Args:
        folder: Where they lie; made when the first is kept.
        kind: What they are.
    """

    def __init__(self, folder: Path, kind: type[Value]) -> None:
        self._folder = folder
        self._kind = kind

    def get(self, key: str) -> Value | None:
        """Return what is kept as ``key``; None where there is nothing, or it is damaged."""
        try:
            text = (self._folder / f"{key}.json").read_bytes()
            value: Value = self._kind.from_dict(json.loads(text))
        except (OSError, ValueError, KeyError, TypeError):
            return None  # it is worked out anew, and overwritten
        return value

    def put(self, key: str, value: Value) -> None:
        """Keep a value; where the folder cannot be written, it is worked out again next time."""
        keep(self._folder / f"{key}.json", json.dumps(value.as_dict()))


@cache
def _warn(folder: Path, problem: str) -> None:
    logger.warning("driftgate: nothing is kept in %s for the next run (%s)", folder, problem)
