"""Environments that nobody reported yet: what each rule says of them."""

from __future__ import annotations

from typing import Any

import pytest

from driftgate.packages.errors import CannotTellError
from driftgate.packages.judge import judge
from driftgate.packages.rules import all_rules
from packages.pretended import Pretended, breaches, evidence

ENGINE = {"name": "engine", "version": "2.0", "requires": ["flashinfer-python==9.1"]}
MAIN = {"name": "flashinfer-python", "version": "9.1", "requires": ["nvidia-ml-py>=13"]}


def index(*rows: dict[str, Any]) -> Pretended:
    found = Pretended()
    for row in rows:
        found.add(row)
    return found


def test_kernels_are_compared_with_what_the_engine_pins() -> None:
    """Nobody names the Python: an upgraded engine will bring it."""
    case = {"installed": ["flashinfer-cubin==9.0"], "consumer": "engine==2.0"}
    (told,) = breaches("companions_match", case, index(ENGINE))

    assert told.todo == "install flashinfer-cubin==9.1, or flashinfer-python==9.0"


def test_an_installed_engine_counts_as_a_named_one() -> None:
    """As `pip list` shows it, among the others."""
    case = {"installed": ["flashinfer-cubin==9.0", "engine==2.0"]}

    assert breaches("companions_match", case, index(ENGINE))


def test_kernels_are_of_one_build() -> None:
    """A shim for one CUDA finds no provider for another."""
    installed = ["flashinfer-python==9.1", "flashinfer-jit-cache==9.1+cu128"]
    case = {"installed": [*installed, "flashinfer-jit-cache-sm90a==9.1+cu129"]}
    (told,) = breaches("companions_match", case)

    assert "cu128, cu129" in told.got


def test_an_unknown_version_is_no_mismatch() -> None:
    """Neither of the Python nor of the kernels."""
    for python, cubin in (("0.0.0+unknown", "9.1"), ("9.1", "0+unknown")):
        case = {"installed": [f"flashinfer-python=={python}", f"flashinfer-cubin=={cubin}"]}

        assert breaches("companions_match", case) == []


@pytest.mark.parametrize("rule", list(all_rules()))
def test_a_misspelled_environment_passes_nothing(rule: str) -> None:
    """Where there is nothing to judge a rule says so: silence would be a pass."""
    with pytest.raises(CannotTellError):
        breaches(rule, {"installed": ["flashinfer-pyton==9.1", "flashinfer-cubln==9.0"]})


def test_two_engines_that_want_two_releases() -> None:
    """One environment cannot serve both."""
    other = {"name": "other", "version": "1.0", "requires": ["flashinfer-python==9.0"]}
    case = {"installed": ["flashinfer-python==9.1", "engine==2.0", "other==1.0"]}
    (told,) = breaches("requirements_are_met", case, index(ENGINE, other))

    assert (told.subject, told.expected) == ("other 1.0", "flashinfer-python==9.0")


def test_a_requirement_is_missed_where_all_is_told() -> None:
    """Of a part of an environment that cannot be said."""
    case = {"installed": ["flashinfer-python==9.1"]}

    assert breaches("requirements_are_met", case, index(MAIN)) == []
    (told,) = breaches("requirements_are_met", {**case, "complete": True}, index(MAIN))
    assert told.got == "it is not installed"


def test_an_extra_counts_where_it_is_asked_for() -> None:
    """`engine[gpu]` requires what `engine` does not."""
    row = {"name": "engine", "version": "2.0", "requires": ['torch==9.1; extra == "gpu"']}
    case = {"installed": ["torch==9.0"]}

    assert breaches("requirements_are_met", {**case, "consumer": "engine==2.0"}, index(row)) == []
    assert breaches("requirements_are_met", {**case, "consumer": "engine[gpu]==2.0"}, index(row))


@pytest.mark.parametrize(
    ("requires", "files"),
    [
        (["flashinfer-python==9.1", "flashinfer_cubin==9.0"], {}),
        (["flashinfer-python==9.1", 'flashinfer-python==9.0; extra == "old"'], {}),
        (
            ["flashinfer-python==9.1"],
            {"a.py": 'assert_pkg_version("flashinfer_python", "9.2", "")'},
        ),
        (["flashinfer-python==9.1"], {"Dockerfile": "ARG FLASHINFER_VERSION=9.0"}),
        (
            ["flashinfer-python==9.1"],
            {"docker/Dockerfile": "RUN pip install flashinfer-cubin==9.0"},
        ),
    ],
)
def test_pins_that_disagree(requires: list[str], files: dict[str, str]) -> None:
    """In metadata, its extras, the source and container files, of the Python and its kernels."""
    row = {"name": "engine", "version": "2.0", "requires": requires, "files": files}

    assert breaches("pins_agree", {"consumer": "engine==2.0"}, index(row))


@pytest.mark.parametrize(
    "requires",
    [
        ['nvidia-x==1; extra == "cu12"', 'nvidia-x==2; extra == "cu13"'],
        ['torch==1; python_version < "3.12"', 'torch==2; python_version >= "3.12"'],
        ['torch==1; sys_platform == "linux"', 'torch==2; sys_platform == "darwin"'],
        ["torch>=2.1", 'torch==2.11.0; extra == "gpu"'],
        ["flashinfer-python==9.1", "flashinfer-cubin==9.1+cu130"],
    ],
)
def test_pins_that_do_not(requires: list[str]) -> None:
    """Extras exclude each other, markers do, and a pin may be within a range."""
    row = {"name": "engine", "version": "2.0", "requires": requires}

    assert breaches("pins_agree", {"consumer": "engine==2.0"}, index(row)) == []


@pytest.mark.parametrize(
    ("text", "python", "fails"),
    [
        ("import tomllib", "3.10", True),
        ("import tomllib", "3.11", False),
        ("from typing import Self", "3.10", True),
        ("import distutils.util", "3.12", True),
        ("import distutils.util", "3.11", False),
        ("try:\n    import tomllib\nexcept ImportError:\n    tomllib = None", "3.10", False),
        ("def f():\n    import tomllib", "3.10", False),
        ("match 1:\n    case _: ...", "3.9", True),
        ("match 1:\n    case _: ...", "3.10", False),
    ],
)
def test_what_the_top_of_a_module_asks_of_a_python(text: str, python: str, *, fails: bool) -> None:
    """Names that came or went with a Python, and its grammar; not what is guarded or called."""
    files = {"flashinfer/comm/__init__.py": text}
    row = {"name": "flashinfer-python", "version": "9.1", "requires_python": ">=3.9"}
    case = {"installed": ["flashinfer-python==9.1"], "python": python}

    assert bool(breaches("imports_where_it_says", case, index({**row, "files": files}))) is fails


def test_a_binding_that_lacks_a_name() -> None:
    """A name that is looked up is told, one that is expected to be missing is not."""
    source = (
        "import pynvml as nv\n"
        "def one(): return nv.added_later()\n"
        "def two():\n"
        "    try:\n        return nv.added_last()\n"
        "    except AttributeError:\n        return None\n"
    )
    main = {"name": "flashinfer-python", "version": "9.1"}
    binding = {"name": "nvidia-ml-py", "version": "12.0", "files": {"pynvml.py": "x = 1"}}
    case = {"installed": ["flashinfer-python==9.1", "nvidia-ml-py==12.0"]}
    files = {"flashinfer/comm/a.py": source}
    (told,) = breaches("bindings_fit", case, index({**main, "files": files}, binding))

    assert told.site == "flashinfer/comm/a.py:2"
    assert "added_later" in told.expected


def test_a_switched_off_comparison_is_not_blamed() -> None:
    """That it says nothing is the variable's doing, which another rule tells."""
    case = {
        "installed": ["flashinfer-python==9.1", "flashinfer-cubin==9.0"],
        "variables": {"FLASHINFER_DISABLE_VERSION_CHECK": "1"},
    }
    with pytest.raises(CannotTellError):
        breaches("own_check_misses_nothing", case)

    assert breaches("check_stays_on", case)


def test_files_that_would_leave_their_folder_are_not_read() -> None:
    """A wheel may hold such names; what is read is written below a folder to be run."""
    target = evidence({"installed": ["a==1"]}, index()).target

    assert target.wanted("flashinfer-python", "flashinfer/comm/deep/down.py")
    assert target.wanted("sglang", "docker/Dockerfile.gpu")
    assert not target.wanted("flashinfer-python", "flashinfer/jit/deep/down.py")
    assert not target.wanted("flashinfer-python", "flashinfer/comm/../../../up.py")


def test_rules_that_cannot_be_told_do_not_stop_the_others() -> None:
    """One environment, all rules, a verdict of each."""
    seen = evidence({"installed": ["flashinfer-python==9.1", "flashinfer-cubin==9.0"]}, index())
    verdicts = {verdict.rule.id: verdict for verdict in judge(seen)}

    assert verdicts.keys() == all_rules().keys()
    assert verdicts["companions_match"].breaches
    assert verdicts["python_is_admitted"].untold == "no interpreter is named"
