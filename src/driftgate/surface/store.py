"""The recorded surfaces on disk: one JSON file a release, and how releases group."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from packaging.version import InvalidVersion, Version

from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.surface.serial import surface_from_json, surface_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from driftgate.surface.model import Surface


class _OfRelease(Protocol):
    @property
    def release(self) -> str: ...


_R = TypeVar("_R", bound=_OfRelease)


def recorded_releases(folder: Path) -> list[str]:
    """Return the releases that have a surface in ``folder``, oldest first.

    Raises:
        InvalidDataError: A file there is not named after a release.
    """
    try:
        return sorted((file.stem for file in folder.glob("*.json")), key=Version)
    except InvalidVersion as error:
        raise InvalidDataError(folder, str(error), "name files after releases") from error


def load_surface(folder: Path, release: str) -> Surface:
    """Read the recorded surface of ``release``.

    Raises:
        UnknownNameError: It was never recorded.
        InvalidDataError: Its file is truncated or otherwise not a surface.
    """
    return load_recorded(folder, release, surface_from_json, "a surface")


def load_recorded(folder: Path, release: str, build: Callable[[Any], _R], what: str) -> _R:
    """Read what was recorded of ``release`` in ``folder``; ``build`` makes ``what`` of its JSON.

    Raises:
        UnknownNameError: It was never recorded.
        InvalidDataError: Its file is truncated or otherwise damaged.
    """
    file = folder / f"{release}.json"
    remedy = f"run `driftgate surface record {release}`"
    if not file.is_file():
        raise UnknownNameError("release", release, tuple(recorded_releases(folder)))
    try:
        found = build(json.loads(file.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        problem = f"not JSON (line {error.lineno}: {error.msg})"
        raise InvalidDataError(file, problem, remedy) from error
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidDataError(file, f"not {what} ({error!r})", remedy) from error
    if found.release != release:
        raise InvalidDataError(file, f"holds {what} of {found.release}", remedy)
    return found


def load_surfaces(folder: Path) -> dict[str, Surface]:
    """Read every recorded surface, oldest release first."""
    return {release: load_surface(folder, release) for release in recorded_releases(folder)}


def surface_text(surface: Surface) -> str:
    """Return the file text of ``surface``; equal surfaces give equal bytes."""
    return json_text(surface_to_json(surface))


def json_text(data: Any) -> str:  # noqa: ANN401 - any JSON
    """Return ``data`` as the text of a data file, in the order it has."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def save_surface(folder: Path, surface: Surface) -> Path:
    """Write ``surface`` into ``folder``, whole or not at all."""
    file = folder / f"{surface.release}.json"
    write_whole(file, surface_text(surface))
    return file


def write_whole(file: Path, text: str) -> None:
    """Write ``text`` so that a reader, or a crash, sees the old file or the new, never a part."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def groups(surfaces: Iterable[Surface]) -> list[list[str]]:
    """Return releases with equal watched surfaces together, in the order they first appear.

    Releases of one group need not follow each other.
    """
    found: list[tuple[Surface, list[str]]] = []
    for surface in surfaces:
        for first, members in found:
            if first.same_shape(surface):
                members.append(surface.release)
                break
        else:
            found.append((surface, [surface.release]))
    return [members for _, members in found]
