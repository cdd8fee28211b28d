"""Ids of findings: what they depend on, and what they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from driftgate.cells import Cell, Tier
from driftgate.findings import ContractResult, Finding, State, finding_id, project_of

FOUND = Finding(
    "keyword_not_taken",
    "only arguments that it takes",
    "got an unexpected keyword argument",
    "create_allreduce_fusion_workspace",
    "sglang/srt/layers/flashinfer_comm_fusion.py:562",
)
# printf 'sglang\0keyword_not_taken\0create_allreduce_fusion_workspace\0flashinfer_comm_fusion.py'
# piped into sha256sum begins so.
DIGITS = "ea11"


def test_an_id_is_the_contract_and_the_first_digits_of_a_hash() -> None:
    """The hash is over project, contract, symbol and the file's base name."""
    assert finding_id("sglang==0.5.23", FOUND) == f"keyword_not_taken-{DIGITS}"


@pytest.mark.parametrize("consumer", ["sglang==0.5.14", "sglang@../sglang/python"])
def test_no_release_and_no_run_changes_an_id(consumer: str) -> None:
    """Nor does the line, the folder, or what exactly was seen."""
    moved = replace(FOUND, got="another", site="python/sglang/flashinfer_comm_fusion.py:1")

    assert finding_id(consumer, moved) == f"keyword_not_taken-{DIGITS}"


@pytest.mark.parametrize(
    ("consumer", "other"),
    [
        ("vllm==0.33.0", FOUND),
        ("sglang==0.5.23", replace(FOUND, symbol="allreduce_fusion")),
        ("sglang==0.5.23", replace(FOUND, site="")),
    ],
)
def test_project_symbol_and_file_do(consumer: str, other: Finding) -> None:
    assert finding_id(consumer, other) != f"keyword_not_taken-{DIGITS}"


@pytest.mark.parametrize(
    ("consumer", "project"),
    [
        ("ours", "ours"),
        ("vllm==0.33.0", "vllm"),
        ("sglang@somewhere/flashinfer_comm_fusion.py", "sglang"),
        ("file:/somewhere/mine.py", "file:mine.py"),
    ],
)
def test_whose_a_consumer_is(consumer: str, project: str) -> None:
    """A folder of this machine is no part of it."""
    assert project_of(consumer) == project


def test_a_result_row_names_its_findings() -> None:
    """What tools read holds the id that people are shown."""
    cell = Cell("sglang==0.5.23", "wheel:0.7.2", Tier.WHEEL, "h100_fp32")
    row = ContractResult(cell, FOUND.contract, State.FAIL, (FOUND,)).as_dict()

    assert [each["id"] for each in row["findings"]] == [f"keyword_not_taken-{DIGITS}"]
