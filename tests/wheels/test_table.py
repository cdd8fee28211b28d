from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.errors import InvalidDataError
from driftgate.paths import find_project
from driftgate.wheels.table import read_seam_table

SEAMS = find_project(Path(__file__)).matrix / "seams.toml"


@pytest.mark.parametrize(
    ("version", "has_torch_memory"),
    [("0.5.3", None), ("0.6.9", False), ("0.6.10", True), ("0.6.10.post1", True), ("0.7.4", True)],
)
def test_which_seams_a_release_needs(version: str, *, has_torch_memory: bool | None) -> None:
    """torch's symmetric memory came in 0.6.10; there is no unified API before 0.6.0."""
    seams = {seam.id for seam in read_seam_table(SEAMS).for_release(version)}

    if has_torch_memory is None:
        assert seams == set()
    else:
        assert {"trtllm-kernels", "mnnvl-kernels", "driver-memory"} <= seams
        assert has_torch_memory is ("torch-symmetric-memory" in seams)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('kind = "kernel-module"', 'kind = "magic"', "'magic' is not a valid SeamKind"),
        ('releases = ">=0.6.10"', 'releases = "since 0.6.10"', "Invalid specifier"),
        ("[backends]", "[other]", "no field 'backends'"),
        ("rank_counts", "counts", "no field 'rank_counts'"),
        ('why = "Workspaces on torch', 'because = "Workspaces on torch', "because"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    """One line with the file and what is wrong in it."""
    path = tmp_path / "seams.toml"
    text = SEAMS.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(InvalidDataError, match=problem) as error:
        read_seam_table(path)

    assert str(error.value).startswith(f"{path}: ")
