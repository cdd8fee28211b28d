"""Stand-ins answer what is foreseen, and nothing else."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.drive.standins import (
    AdapterGap,
    Answers,
    ForeignProject,
    Part,
    StandIn,
    UnknownAnswerError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = {
    "engine.state.get().size": "four",
    "engine.state.flag()": "yes",
    "engine.tools.double": "double",
}
KNOWN: dict[str, Callable[[], Any]] = {
    "four": lambda: 4,
    "yes": lambda: True,
    "double": lambda: lambda number: 2 * number,
}


@pytest.fixture
def engine() -> Iterator[Callable[[str], Any]]:
    """Runs source text as the module ``engine.part`` over stand-ins, and returns the module."""
    before = list(sys.meta_path)

    def run(text: str) -> Any:
        ForeignProject([Part.of("engine/part.py", text)], Answers(ROWS, KNOWN)).install()
        return importlib.import_module("engine.part")

    yield run
    sys.meta_path[:] = before
    for name in [name for name in sys.modules if name.partition(".")[0] == "engine"]:
        del sys.modules[name]


def test_a_path_is_answered_through_calls_and_attributes(engine: Callable[[str], Any]) -> None:
    """A foreseen path gives its answer, relative imports and functions with arguments too."""
    module = engine(
        "from engine.state import get, flag\nfrom .tools import double\n"
        "size, on, twice = get().size, flag(), double(21)\n"
    )

    assert (module.size, module.on, module.twice) == (4, True, 42)


def test_importing_what_is_not_foreseen_is_no_harm(engine: Callable[[str], Any]) -> None:
    """A release may import more than the adapter's operations use."""
    module = engine("from engine.other.place import thing\nimport engine.more as more\n")

    assert isinstance(module.thing, StandIn)


@pytest.mark.parametrize(
    ("touch", "named"),
    [
        ("get().rank", "engine.state.get().rank"),
        ("get(1)", "engine.state.get(…)"),
        ("other.deeper()", "engine.state.other.deeper"),
        ("other == 'auto'", "engine.state.other.__eq__"),
        ("bool(other)", "engine.state.other.__bool__"),
        ("[*other]", "engine.state.other.__iter__"),
        ("other[0]", "engine.state.other.__getitem__"),
        ("isinstance(1, other)", "engine.state.other.__instancecheck__"),
        ("type('Sub', (), {}) and exec('class Sub(other): pass')", "engine.state.other.__mro_en"),
        ("setattr(get(), 'size', 5)", "engine.state.get().size = …"),
        ("f'{other}'", "engine.state.other.__format__"),
    ],
)
def test_touching_what_is_not_foreseen_is_named(
    engine: Callable[[str], Any], touch: str, named: str
) -> None:
    """It is told by its path, past a consumer that catches every exception."""
    text = f"from engine.state import get, other\ntry:\n    {touch}\nexcept Exception:\n    pass\n"

    with pytest.raises(AdapterGap) as caught:
        engine(text)

    assert caught.value.path.startswith(named)


def test_a_row_with_an_unknown_answer_is_refused() -> None:
    """A misspelled answer is found before anything runs."""
    with pytest.raises(UnknownAnswerError, match="'fuor'"):
        Answers({"engine.size": "fuor"}, KNOWN)


def test_a_module_that_runs_again_forgets(engine: Callable[[str], Any]) -> None:
    """Its globals are what its source says; call sites carry the project's path."""
    module = engine("count = 0\ndef where():\n    import sys\n    return sys._getframe().f_code\n")
    module.count = 7

    module.__spec__.loader.exec_module(module)

    assert module.count == 0
    assert module.where().co_filename == "engine/part.py"
