"""What a GPU session says where it cannot run; the checks themselves need GPUs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from driftgate.commands import gpu
from driftgate.gpu import needs, rank
from driftgate.gpu.checks import CHECKS
from driftgate.gpu.needs import Machine, what_is_lacking
from driftgate.gpu.session import run_session

if TYPE_CHECKING:
    from pathlib import Path

HOPPERS = Machine(((9, 0),) * 8, ("H100",) * 8)
BLACKWELLS = Machine(((10, 0), (10, 3)), ("B200", "B300"))


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "look_at_machine", Machine)


@pytest.mark.parametrize(
    ("generation", "machine", "gpus", "lacking"),
    [
        ("hopper", HOPPERS, 8, ""),
        ("blackwell", BLACKWELLS, 2, ""),
        ("hopper", Machine(), 1, "needs 1 GPU(s) of compute capability 9.0, found 0"),
        ("hopper", BLACKWELLS, 1, "needs 1 GPU(s) of compute capability 9.0, found 0"),
        ("blackwell", HOPPERS, 1, "needs 1 GPU(s) of compute capability 10.0 or 10.3, found 0"),
        (
            "hopper",
            Machine(((9, 0), (8, 0)), ("H100", "A100")),
            2,
            "needs 2 GPU(s) of compute capability 9.0, found 1",
        ),
    ],
)
def test_what_a_machine_lacks(
    monkeypatch: pytest.MonkeyPatch, generation: str, machine: Machine, gpus: int, lacking: str
) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda _: object())

    assert what_is_lacking(generation, machine, gpus) == lacking


def test_devices_without_flashinfer_are_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda _: None)

    assert "flashinfer-python" in what_is_lacking("hopper", HOPPERS, 1)


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--require-gpu",), 1)])
def test_without_a_gpu_every_check_is_not_run(
    tmp_path: Path, options: tuple[str, ...], code: int
) -> None:
    """One line a check, and exit 0 unless the runner must have a GPU."""
    path = tmp_path / "rows.jsonl"
    ran = CliRunner().invoke(gpu.command, ["hopper", "--into", str(path), *options])
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    assert ran.exit_code == code, ran.output
    assert [row["check"] for row in rows] == [check.id for check in CHECKS]
    assert {row["state"] for row in rows} == {"not-run"}
    assert all(row["reason"].startswith("needs ") and row["values"] == {} for row in rows)
    assert (
        f"summary: checks={len(CHECKS)} pass=0 fail=0 error=0 not-run={len(CHECKS)}" in ran.output
    )


def test_one_gpu_shows_what_one_gpu_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the checks says that it needs two."""
    monkeypatch.setattr(needs, "find_spec", lambda _: object())
    monkeypatch.setattr("driftgate.gpu.session._run", lambda generation, check, gpus: (check, gpus))
    ran = list(run_session("hopper", Machine(((9, 0),), ("H100",))))

    assert [row for row in ran if isinstance(row, tuple)] == [(check, 1) for check in CHECKS[:3]]
    assert all("needs 2 GPU(s)" in row.reason for row in ran[3:])


def test_a_rank_that_dies_is_an_error_that_says_what_it_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This machine has no device, so that every rank of a check dies at once."""
    monkeypatch.setattr(needs, "find_spec", lambda _: object())
    monkeypatch.setattr("driftgate.gpu.session.CHECKS", CHECKS[:1])
    (row,) = run_session("hopper", HOPPERS)

    assert row.state.value == "error"
    assert row.reason.startswith("rank 0 died: ")


def test_every_check_has_its_work() -> None:
    assert set(rank._CHECKS) == {check.id for check in CHECKS}
