"""Run a release's own comparison of versions; started by `own_check`, which says what to run.

Imports nothing of driftgate: it runs without site-packages.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import io
import json
import logging
import sys
import warnings
from contextlib import redirect_stdout
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Nothing:
    """Answers whatever is asked of what is not there: itself, no items, this folder."""

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: object, **__: object) -> Nothing:
        """Answer a call."""
        return self

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def __fspath__(self) -> str:
        return "."


class StandIn(ModuleType):
    """A module that has whatever is looked for."""

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


def stand_in(name: str, **values: object) -> None:
    """Put a module in place that has ``values``, and whatever else is looked for."""
    module = StandIn(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(values)
    sys.modules[name] = module


class Kept(logging.Handler):
    """Keeps what is logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        self.lines.append(record.getMessage())


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """Import the modules, ask for the report, and return what they said."""
    sys.path.insert(0, order["root"])
    for name in order["absent"]:
        stand_in(name)
    for name, version in order["companions"].items():
        stand_in(name, __version__=version)
    kept = Kept()
    logging.getLogger().addHandler(kept)
    raised = ""
    reported: dict[str, list[str]] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            for name in order["modules"]:
                importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever it raises is what it says
            raised = f"{type(error).__name__}: {error}"
        if order["report"]:
            module, _, function = order["report"].partition(":")
            report = getattr(importlib.import_module(module), function)()
            for section in report.values():
                for key, value in section.items():
                    reported.setdefault(str(key), []).append(str(value))
    lines = [*kept.lines, *(str(each.message) for each in caught)]
    return {"raised": raised, "warned": lines, "reported": reported}


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    with redirect_stdout(io.StringIO()):
        said = answer(asked)
    sys.stdout.write(json.dumps(said))
