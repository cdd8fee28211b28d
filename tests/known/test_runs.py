"""Findings out of the results of the last runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.cells import Cell, Tier
from driftgate.findings import ContractResult, Finding, State
from driftgate.known.model import Known, best_first
from driftgate.known.runs import seen_in_runs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LEAK = Finding("handles_are_freed", "no allocation alive", "handles: 12", "destroy")


PINS = {"sglang==0.5.23": "0.7.2"}


def known_from_runs(folder: Path) -> dict[str, Known]:
    seen = seen_in_runs(folder)
    return {name: Known(name, best_first(each, PINS)) for name, each in seen.items()}


def _row(
    consumer: str, upstream: str, state: State, tier: Tier = Tier.STUB, environment: str = "h100"
) -> dict[str, Any]:
    cell = Cell(consumer, upstream, tier, environment)
    findings = (LEAK,) if state is State.FAIL else ()
    return ContractResult(cell, LEAK.contract, state, findings).as_dict()


def _write(folder: Path, name: str, rows: Iterable[dict[str, Any]], tail: str = "") -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(text + tail, encoding="utf-8")


ROW = _row("ours", "stub:v0_7_4", State.FAIL)


def test_what_shows_a_finding_best_comes_first(tmp_path: Path) -> None:
    """The newest consumer, on what stands for a release, as real as it was had, on its pin."""
    rows = [
        _row("sglang==0.5.9", "wheel:0.7.4", State.FAIL, Tier.WHEEL),
        _row("sglang==0.5.23", "stub:var_kwargs", State.FAIL),
        _row("sglang==0.5.23", "stub:v0_7_4", State.FAIL),
        _row("sglang==0.5.23", "wheel:0.7.4", State.FAIL, Tier.WHEEL),
        _row("sglang==0.5.23", "wheel:0.7.2", State.FAIL, Tier.WHEEL),
        _row("sglang==0.5.23", "wheel:0.7.1", State.FAIL, Tier.WHEEL),
    ]
    _write(tmp_path, "20260101T000000-1", rows)

    (known,) = known_from_runs(tmp_path).values()

    assert [each.cell.upstream for each in known.seen] == [
        "wheel:0.7.2",
        "wheel:0.7.4",
        "wheel:0.7.1",
        "stub:v0_7_4",
        "stub:var_kwargs",
        "wheel:0.7.4",
    ]
    assert known.command() == (
        "driftgate compat --consumer sglang==0.5.23 --upstream wheel:0.7.2 "
        "--contract handles_are_freed"
    )


def test_a_finding_that_the_newest_run_did_not_see_is_gone(tmp_path: Path) -> None:
    """A cell that was not run again says nothing new."""
    _write(
        tmp_path,
        "20260101T000000-1",
        [
            _row("ours", "stub:v0_7_4", State.FAIL),
            _row("ours", "stub:v0_7_1", State.FAIL),
            _row("ours", "stub:v0_6_0", State.FAIL),
        ],
    )
    _write(
        tmp_path,
        "20260102T000000-1",
        [_row("ours", "stub:v0_7_4", State.PASS), _row("ours", "stub:v0_7_1", State.NOT_RUN)],
    )

    (known,) = known_from_runs(tmp_path).values()

    assert known.upstreams == ("stub:v0_7_1", "stub:v0_6_0")


def test_rows_of_other_kinds_and_a_torn_line_do_no_harm(tmp_path: Path) -> None:
    """Other commands write there too, and a run may have died in the middle of a row."""
    rows = [{"check": "fused"}, _row("ours", "stub:v0_7_4", State.FAIL)]
    _write(tmp_path, "20260101T000000-1", rows, tail='{"consumer": "ou')

    assert len(known_from_runs(tmp_path)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "3",
        "null",
        json.dumps({**ROW, "state": None}),
        json.dumps({key: value for key, value in ROW.items() if key != "state"}),
        json.dumps({key: value for key, value in ROW.items() if key != "findings"}),
        json.dumps({**ROW, "contract": []}),
        json.dumps({**ROW, "findings": ["text"]}),
        json.dumps({**ROW, "findings": [{"id": "a-1234", "unknown": "key"}]}),
        json.dumps({**ROW, "findings": [{**ROW["findings"][0], "got": None}]}),
    ],
)
def test_a_damaged_line_is_passed_over(tmp_path: Path, line: str) -> None:
    """What is kept may be of another version, or torn; the rows around it still count."""
    _write(tmp_path, "1", [_row("ours", "stub:v0_7_4", State.FAIL)], tail=f"{line}\n")
    _write(tmp_path, "2", [_row("ours", "stub:v0_7_1", State.FAIL)])

    (known,) = known_from_runs(tmp_path).values()

    assert known.upstreams == ("stub:v0_7_4", "stub:v0_7_1")


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    """A folder, or a link to nowhere."""
    (tmp_path / "a.jsonl").mkdir()
    (tmp_path / "b.jsonl").symlink_to(tmp_path / "nowhere")

    assert known_from_runs(tmp_path) == {}


def test_runs_of_other_commands_push_none_out(tmp_path: Path) -> None:
    """However often a backtest was run since."""
    _write(tmp_path, "0", [_row("ours", "stub:v0_7_4", State.FAIL)])
    for number in range(1, 60):
        _write(tmp_path, f"{number:02}", [{"case": {}, "contract": "x", "state": "pass"}])

    assert len(known_from_runs(tmp_path)) == 1


def test_a_cell_that_died_says_nothing_new(tmp_path: Path) -> None:
    _write(tmp_path, "1", [_row("ours", "stub:v0_7_4", State.FAIL)])
    _write(tmp_path, "2", [_row("ours", "stub:v0_7_4", State.ERROR)])

    assert len(known_from_runs(tmp_path)) == 1


def test_ranks_and_calls_are_seen_again_by_their_own_commands(tmp_path: Path) -> None:
    _write(tmp_path, "1", [_row("ours", "stub:v0_7_4", State.FAIL, Tier.MULTIRANK, "h100_tp2")])
    ranks = next(iter(known_from_runs(tmp_path).values()))
    _write(tmp_path, "1", [_row("ours", "surface:0.7.4", State.FAIL, Tier.STATIC, "calls")])
    calls = next(iter(known_from_runs(tmp_path).values()))

    assert ranks.command() == (
        "driftgate ranks --consumer ours --upstream stub:v0_7_4 --topology h100_tp2 "
        "--contract handles_are_freed"
    )
    assert calls.command() == "driftgate calls ours --release 0.7.4"


def test_no_runs_are_no_findings(tmp_path: Path) -> None:
    assert known_from_runs(tmp_path / "nowhere") == {}
