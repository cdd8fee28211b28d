"""``driftgate compat --list``: also what would not run, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from driftgate.cli import main
from driftgate.wheels.store import CACHE_VARIABLE

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]


def test_a_cell_that_is_left_out_is_listed_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that is not in the store is not run, as the run itself would say."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.chdir(ROOT)
    arguments = ["--upstream", "absent", "--upstream", "wheel:0.7.4"]

    result = CliRunner().invoke(
        main, ["compat", "--list", *arguments, "--contract", "kernel_failure_surfaces"]
    )

    assert result.stdout == (
        "ours x wheel:0.7.4 x wheel x h100_kernel_raises: not run: "
        "not in the wheel store; run `driftgate wheels fetch 0.7.4`\n"
    )
