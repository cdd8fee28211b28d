"""``driftgate bump`` and ``driftgate bisect`` as a maintainer runs them, without a network."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
# Calls by name what takes names, and leaves out what came later.
CONSUMER = """
import flashinfer.comm as comm

MADE = comm.create_allreduce_fusion_workspace(
    backend="trtllm", world_size=4, rank=0, max_token_num=8, hidden_dim=64, dtype=None,
    comm_backend=None,
)


def fused(x, residual):
    return comm.allreduce_fusion(
        input=x, workspace=MADE, pattern=comm.AllReduceFusionPattern.kARResidualRMSNorm,
        residual_in=residual,
    )
"""
NEXT = """
def create_allreduce_fusion_workspace(backend, *, world_size, rank):
    return AllReduceFusionPattern(), backend, world_size, rank
class AllReduceFusionPattern:
    kARResidualRMSNorm = 7
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the checkout that pins 0.7.4, an index with one newer release, and a consumer."""
    root = tmp_path / "checkout"
    for name in ("matrix", "stubs"):
        shutil.copytree(
            PROJECT.root / name, root / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    (root / "pyproject.toml").write_text(
        '[project]\nrequires-python = ">=3.10"\n[tool.driftgate]\nflashinfer = "0.7.4"\n'
    )
    (root / "engine.py").write_text(CONSUMER)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "flashinfer_python-9.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("flashinfer/__init__.py", "")
        wheel.writestr("flashinfer/comm/__init__.py", NEXT)
        wheel.writestr(
            "flashinfer_python-9.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: flashinfer-python\nVersion: 9.0\n"
            "Requires-Python: >=3.10\n",
        )
    monkeypatch.chdir(root)
    monkeypatch.setenv("DRIFTGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return root


def run(*arguments: str) -> Result:
    """Run a command, nothing of the consumer."""
    return CliRunner().invoke(main, [*arguments])


def bump(*arguments: str) -> Result:
    """A verdict by the text alone."""
    return run("bump", "--static", *arguments)


def verdicts(*arguments: str) -> dict[str, Any]:
    """The lines of a verdict, by kind and symbol."""
    report = json.loads(bump("--json", *arguments).output)
    return {f"{line['kind']} {line['symbol']}": line for line in report["lines"]}


def tree(root: Path) -> dict[str, str]:
    """A hash of every file that may be committed."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".driftgate" not in path.parts
    }


FILE = ("--consumer", "file:engine.py")


def test_inserted_and_called_by_name(checkout: Path) -> None:
    """0.6.8 put trigger_completion_at_end before output; a caller by name does not notice."""
    lines = verdicts("0.6.8", "--from", "0.6.7", *FILE)

    line = lines["param-inserted allreduce_fusion"]
    assert line["verdict"] == "safe because called by keyword"
    assert line["sites"] == ["engine.py:11"]
    assert lines["argument-changed allreduce_fusion"]["verdict"] == "needs a GPU run"


def test_equal_signatures_that_meet_other_peers(checkout: Path) -> None:
    """0.6.10 has the signatures of 0.6.9 and allocates elsewhere, over WORLD."""
    lines = verdicts("0.6.10", "--from", "0.6.9", *FILE)

    assert lines["peers-changed create_allreduce_fusion_workspace"]["verdict"] == "needs a GPU run"
    assert lines["low-level-changed create_allreduce_fusion_workspace"]["sites"] == ["engine.py:4"]


def test_taken_matters_and_not_sent(checkout: Path) -> None:
    """From 0.6.10.post1 on creation takes group, and who leaves it out meets WORLD."""
    line = verdicts("0.6.12", "--from", "0.6.10", *FILE)[
        "param-appended create_allreduce_fusion_workspace"
    ]

    assert line["verdict"] == "needs a change"
    assert line["since"] == "0.6.10.post1"
    assert line["todo"].startswith("send group=")


def test_additive(checkout: Path) -> None:
    """0.7.2.post1 added options that nobody has to use."""
    result = bump("0.7.2.post1", "--from", "0.7.2", *FILE)

    assert result.exit_code == 0, result.output
    assert ", flashinfer 0.7.2 to 0.7.2.post1: safe" in result.output.splitlines()[0]


def test_moved_behind_a_reexport(checkout: Path) -> None:
    """0.6.16 moved TorchDistBackend to comm_backend, and mnnvl still hands it on."""
    (checkout / "engine.py").write_text(
        "from flashinfer.comm.mnnvl import TorchDistBackend\nBACKEND = TorchDistBackend(group=1)\n"
    )

    line = verdicts("0.6.17", "--from", "0.6.12", *FILE)["symbol-moved TorchDistBackend"]

    assert line["verdict"] == "safe"
    assert line["changes"][0]["new"] == "flashinfer.comm.comm_backend:TorchDistBackend"


def test_renumbered_enumeration(checkout: Path) -> None:
    """0.2.14 renumbered QuantizationSFLayout; who reads it by name gets the new number."""
    (checkout / "engine.py").write_text(
        "import flashinfer.comm as comm\nLINEAR = comm.QuantizationSFLayout.LINEAR\n"
        "OLD = comm.QuantizationSFLayout.SWIZZLED\n"
    )

    lines = verdicts("0.2.14", "--from", "0.2.13", *FILE)

    assert lines["value-changed QuantizationSFLayout"]["verdict"] == "safe"
    assert lines["member-removed QuantizationSFLayout.SWIZZLED"]["sites"] == ["engine.py:3"]


def test_nothing_changes_without_write(checkout: Path) -> None:
    """A verdict on a release that is not recorded reads it, and keeps nothing."""
    before = tree(checkout)

    result = bump("9.0", *FILE)

    assert result.exit_code == 1, result.output
    assert "rejects" in result.output or "param-removed" in result.output
    assert tree(checkout) == before


def test_write_and_write_again(checkout: Path) -> None:
    """Record, stub, pin and report; doing it again changes nothing more."""
    result = bump("9.0", "--write")

    assert result.exit_code in (0, 1), result.output
    assert 'flashinfer = "9.0"' in (checkout / "pyproject.toml").read_text()
    assert (checkout / "matrix" / "surfaces" / "9.0.json").is_file()
    assert (checkout / "matrix" / "insides" / "9.0.json").is_file()
    assert '"9.0"' in (checkout / "matrix" / "releases.toml").read_text()
    assert '["9.0"]' in (checkout / "stubs" / "v9_0" / "shape.toml").read_text()
    [page] = (checkout / ".driftgate" / "bump").iterdir()
    assert page.read_text().startswith("# flashinfer 0.7.4 to 9.0: ")
    first = tree(checkout)

    again = bump("9.0", "--write")

    assert again.exit_code == 0, again.output
    assert tree(checkout) == first
    assert list((checkout / ".driftgate" / "bump").iterdir()) == [page]


def test_half_failed_leaves_the_tree(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that cannot write its last file has written none, and says so in one line."""
    before = tree(checkout)
    whole = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "shape.toml" and target.is_relative_to(checkout):
            raise OSError("disk full")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    result = bump("9.0", "--write")

    assert result.exit_code == 2
    assert result.stderr == (
        "driftgate: stubs/v9_0/shape.toml: disk full; nothing was written, "
        "mend that and run it again\n"
    )
    assert tree(checkout) == before
    assert not list((checkout / ".driftgate" / "bump").iterdir())


def test_a_page_that_cannot_be_written_leaves_the_tree(checkout: Path) -> None:
    """The report comes first: where it finds no place, the pin stays where it is."""
    (checkout / ".driftgate").touch()
    before = tree(checkout)

    result = bump("9.0", "--write")

    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert line.endswith("nothing was written, mend that and run it again")
    assert "0.7.4-to-9.0-ours.md" in line
    assert tree(checkout) == before


def test_verdict_for_another_moves_no_pin(checkout: Path) -> None:
    """The pin is the fusion module's; a file's verdict records the release and leaves the pin."""
    bump("9.0", "--write", *FILE)

    assert 'flashinfer = "0.7.4"' in (checkout / "pyproject.toml").read_text()


def test_fits_the_terminal(checkout: Path) -> None:
    """No line is longer than 100 columns."""
    result = bump("0.6.17", "--from", "0.6.7", *FILE)

    assert max(len(line) for line in result.output.splitlines()) <= 100


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("8.8.8",), "unknown release '8.8.8'; known: 9.0"),
        (("newest",), "unknown release 'newest'"),
        (("0.6.0",), "0.6.0 is older than 0.7.4"),
        (("0.7.4", "--consumer", "nobody"), "unknown consumer 'nobody'"),
        (("0.7.4", "--consumer", "file:none.py"), "no such consumer file"),
    ],
)
def test_bad_input_is_one_line(checkout: Path, arguments: tuple[str, ...], problem: str) -> None:
    """One line on stderr, exit 2."""
    result = bump(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    [line] = result.stderr.splitlines()
    assert problem in line


def test_no_pin(checkout: Path) -> None:
    """Without a pin the release that is moved from has to be given."""
    (checkout / "pyproject.toml").write_text("[project]\n")

    result = bump("0.7.4")

    assert result.exit_code == 2
    assert "--from" in result.stderr


def test_bisect_wrong_way_round(checkout: Path) -> None:
    """The good release is the older one."""
    result = run("bisect", "trigger_sent", "--good", "0.7.4", "--bad", "0.6.0")

    assert result.exit_code == 2
    assert result.stderr == (
        "driftgate: 0.6.0 is older than 0.7.4; "
        "give the older release with --good, the newer with --bad\n"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nothing_sent",), "unknown contract 'nothing_sent'"),
        (("trigger_sent", "--consumer", "nobody"), "unknown consumer 'nobody'"),
    ],
)
def test_bisect_reads_its_names_first(
    checkout: Path, arguments: tuple[str, ...], problem: str
) -> None:
    """Before an index that may not answer is asked for releases that are not recorded."""
    result = run("bisect", *arguments, "--good", "0.7.4", "--bad", "8.8.8")

    assert result.exit_code == 2
    assert problem in result.stderr
