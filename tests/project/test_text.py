"""What no committed file may hold."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Written in pieces, so that this file does not match itself.
MACHINE_PATH = re.compile(
    r"(?<![\w.~])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")/\w"
)
REGISTRY = re.compile("|".join(["pypi" + r"\.org", "python" + "hosted", "pytorch" + r"\.org/whl"]))


def committed() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["machine path", "registry"])
def test_no_line_of_a_committed_file_matches(pattern: re.Pattern[str]) -> None:
    """Paths of one machine and hosts of one index are configuration, not project."""
    hits = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in committed()
        if path.is_file()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if pattern.search(line)
    ]

    assert hits == []
