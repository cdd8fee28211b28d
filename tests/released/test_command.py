"""``driftgate calls`` as a maintainer runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main

ROOT = Path(__file__).parents[2]
CONSUMER = """
import flashinfer.comm as comm


def start(rank):
    kw = dict(backend="trtllm", world_size=4, rank=rank, comm_backend=None)
    kw.update(max_token_num=8, hidden_dim=64, dtype=None, group=None)
    return comm.create_allreduce_fusion_workspace(**kw)
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DRIFTGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "none"))
    monkeypatch.delenv("COLUMNS", raising=False)  # runners of tests set it


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["calls", *arguments])


@pytest.fixture
def consumer(tmp_path: Path) -> Path:
    path = tmp_path / "engine.py"
    path.write_text(CONSUMER)
    return path


def test_a_table_of_sites_and_ranges(consumer: Path) -> None:
    """The site, the releases as a range, the keyword, and a summary as the last line."""
    result = run(f"file:{consumer}")

    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    [site] = [line for line in lines if "engine.py:8" in line]
    assert "create_allreduce_fusion_workspace" in site
    [rejected] = [line for line in lines if "rejects" in line and "group" in line]
    assert "0.6.0\N{EN DASH}0.6.10 " in rejected
    assert lines[-1].startswith("summary: releases=")
    assert " rejects=1 " in lines[-1]


def test_a_narrow_terminal_shows_every_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path as long as the line takes no room from what is said of it."""
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / ("deep" * 20) / "engine.py"
    path.parent.mkdir()
    path.write_text(CONSUMER)

    assert "rejects: group" in run(f"file:{path}").output


def test_json_for_one_release(consumer: Path) -> None:
    """What another tool reads: the calls as they were followed, and the verdicts."""
    result = run(f"file:{consumer}", "--release", "0.6.10", "--json")

    found: dict[str, Any] = json.loads(result.output)
    assert found["releases"] == ["0.6.10"]
    [call] = found["calls"]
    assert call["always"][-1] == "group"
    [verdict] = found["verdicts"]
    assert (verdict["verdict"], verdict["parameter"]) == ("rejects", "group")
    assert verdict["site"].endswith("engine.py:8")


def test_our_own_module_is_never_rejected() -> None:
    """What it sends is decided by reading signatures, so nothing can be told but that."""
    result = run("ours", "--json")

    verdicts = json.loads(result.output)["verdicts"]
    assert {verdict["verdict"] for verdict in verdicts} == {"unresolved"}
    assert {verdict["symbol"].rpartition(".")[2] for verdict in verdicts} == {
        "allreduce_fusion",
        "create_allreduce_fusion_workspace",
        "is_buffer_size_sufficient",
        "trtllm_destroy_ipc_workspace_for_all_reduce_fusion",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("engine",), "unknown consumer 'engine'"),
        (("sglang==",), "unknown release of sglang ''"),
        (("sglang==99.0",), "sglang==99.0: the index has no such release"),
        (("ours", "--release", "9.9"), "unknown release '9.9'"),
        (("file:gone.py",), "no such consumer file"),
        (("file:{tmp}/text.py",), "not Python"),
        (("file:{tmp}/idle.py",), "makes no use of flashinfer.comm"),
        (("file:{tmp}/latin.py",), "cannot be read"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """Exit 2, and what is wrong in one line."""
    (tmp_path / "text.py").write_text("this is no Python\n")
    (tmp_path / "idle.py").write_text("import json\n")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")

    result = run(*(argument.format(tmp=tmp_path) for argument in arguments))

    assert result.exit_code == 2
    [line] = result.output.splitlines()
    assert said in line


def test_release_and_all_exclude_each_other() -> None:
    """Bad usage, as for any wrong command line."""
    assert run("ours", "--all", "--release", "0.7.4").exit_code == 2
