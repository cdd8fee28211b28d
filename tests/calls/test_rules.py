from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from driftgate.calls.rules import load_rules
from driftgate.errors import InvalidDataError

MATRIX = Path(__file__).parents[2] / "matrix"


def copy(folder: Path) -> Path:
    """A copy of the two files that rules come from."""
    for name in ("calls.toml", "target.toml"):
        shutil.copy(MATRIX / name, folder / name)
    return folder / "calls.toml"


def test_watched_functions_are_known_by_name_alone() -> None:
    """A function whose name can only mean the upstream; classes and short names are not enough."""
    names = load_rules(MATRIX).distinctive

    assert names["allreduce_fusion"] == "flashinfer.comm.allreduce_fusion"
    assert names["is_buffer_size_sufficient"].endswith("().is_buffer_size_sufficient")
    assert "TorchDistBackend" not in names


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[returns]", "[yields]", "lacks 'returns'"),
        ("parameter = ", "param = ", "lacks 'parameter'"),
        ("TRTLLMAllReduceFusionWorkspace", "Gone", "flashinfer.comm:Gone is not watched"),
    ],
)
def test_damaged_rules_are_one_clear_error(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    """What is wrong and where, in one line."""
    file = copy(tmp_path)
    file.write_text(file.read_text().replace(old, new))

    with pytest.raises(InvalidDataError, match=problem) as caught:
        load_rules(tmp_path)

    assert "\n" not in str(caught.value)
    assert str(file) in str(caught.value)
