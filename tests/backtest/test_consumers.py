"""Consumers as rows spell them."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.backtest import consumers
from driftgate.consumers import Consumer
from driftgate.paths import Project


def test_a_consumer_keeps_the_name_of_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """``vllm==v0.24.0`` is the release 0.24.0, and answers about it are found by either name."""
    found = Consumer("vllm==0.24.0", "vllm==0.24.0", Path("comm.py"))
    monkeypatch.setattr(consumers, "choose_consumer", lambda *_: found)

    consumer = consumers.row_consumer("vllm==v0.24.0", Project(Path("root"), Path("results")))

    assert consumer.name == "vllm==v0.24.0"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("file:mine.py", "file:/checkout/mine.py"),
        ("file:/elsewhere/mine.py", "file:/elsewhere/mine.py"),
        ("sglang@mine", "sglang@/checkout/mine"),
        ("ours", "ours"),
        ("", ""),
        ("vllm==0.24.0", "vllm==0.24.0"),
    ],
)
def test_a_path_begins_at_the_checkout(name: str, told: str) -> None:
    """Releases and ours have none."""
    assert consumers.located(name, Project(Path("/checkout"), Path("results"))) == told
