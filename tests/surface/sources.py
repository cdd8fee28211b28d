"""A package as a mapping of paths to texts, and shorthands to read it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from driftgate.surface.reader import read_surface
from driftgate.surface.sources import SourceTree
from driftgate.surface.target import Target, Watched

if TYPE_CHECKING:
    from driftgate.surface.model import Surface, Symbol


class Texts:
    """Files held in memory; remembers which were read."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = {path: textwrap.dedent(text) for path, text in files.items()}
        self.read_paths: list[str] = []

    def read(self, path: str) -> str | None:
        self.read_paths.append(path)
        return self.files.get(path)


def watch(*ids: str, members: tuple[str, ...] = ()) -> Target:
    """A target that watches ``ids`` of the package ``pkg``."""
    rows = tuple(Watched(name, ("ours",), "a test", members) for name in ids)
    return Target("pkg-python", "pkg", "1.0", rows)


def surface_of(files: dict[str, str], *ids: str, members: tuple[str, ...] = ()) -> Surface:
    """The surface of ``files``, with ``ids`` watched."""
    return read_surface(SourceTree(Texts(files), "pkg"), watch(*ids, members=members), "1.0")


def symbol_of(files: dict[str, str], name: str, members: tuple[str, ...] = ()) -> Symbol:
    """One symbol of ``files``."""
    return surface_of(files, name, members=members).symbols[name]


def one_module(text: str, *ids: str, members: tuple[str, ...] = ()) -> Surface:
    """The surface of a package that is a single module ``pkg``."""
    return surface_of({"pkg/__init__.py": text}, *ids, members=members)
