"""Shorthands to read the insides of a package held in memory."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from driftgate.insides.reader import read_insides
from driftgate.insides.target import EntryRow, InsidesTarget, LowLevel
from driftgate.surface.sources import SourceTree
from surface.sources import Texts, watch

if TYPE_CHECKING:
    from driftgate.insides.model import Case, Insides

LOW_LEVEL = (
    LowLevel("CudaRTLibrary", import_only=True),
    LowLevel("torch.cuda", import_only=True),
    LowLevel("cudaMalloc"),
    LowLevel("Buffer", peers="comm"),
    LowLevel("_symmetric_memory.rendezvous", peers="group", position=1),
)


def insides_of(files: dict[str, str], *rows: EntryRow, watched: tuple[str, ...] = ()) -> Insides:
    """The insides of ``files``, a package ``pkg``, with the entries of ``rows``."""
    target = InsidesTarget("pkg", LOW_LEVEL, rows)
    tree = SourceTree(Texts(files), "pkg")
    return read_insides(tree, target, watch(*watched), "1.0")


def case_of(text: str, *, follow: bool = True, watched: tuple[str, ...] = ()) -> Case:
    """The only case of the function ``f`` in a package that is one module."""
    row = EntryRow("pkg:f", follow=follow)
    insides = insides_of({"pkg/__init__.py": textwrap.dedent(text)}, row, watched=watched)
    return insides.entries["pkg:f"].cases[""]
