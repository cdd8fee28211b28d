"""Small consumers, each written to show one way of calling the upstream."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from driftgate.calls.model import Source
from driftgate.calls.reading import read_usage

if TYPE_CHECKING:
    from driftgate.calls.model import Call, Usage

UPSTREAM = "flashinfer.comm"
MAKE = f"{UPSTREAM}.make"
DISTINCTIVE = {"size_ok": f"{MAKE}().size_ok", "make": MAKE}


def read(text: str, **others: str) -> Usage:
    """Follow one file ``eng/fusion.py``, with ``others`` beside it by module name."""
    sources = [Source("eng/fusion.py", dedent(text))]
    sources += [Source(f"eng/{name}.py", dedent(other)) for name, other in others.items()]
    return read_usage(sources, UPSTREAM, DISTINCTIVE)


def only_call(text: str, symbol: str = MAKE, **others: str) -> Call:
    """The one call of ``symbol`` in a file."""
    [call] = [call for call in read(text, **others).calls if call.symbol == symbol]
    return call


def always(call: Call) -> set[str]:
    """The keywords that every such call sends."""
    return {keyword.name for keyword in call.keywords if keyword.always}


def maybe(call: Call) -> set[str]:
    """The keywords that only some such calls send."""
    return {keyword.name for keyword in call.keywords if not keyword.always}
