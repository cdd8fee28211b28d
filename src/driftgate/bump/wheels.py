"""The two releases themselves, fetched for a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.commands.fetching import fetch_releases
from driftgate.errors import DriftgateError
from driftgate.surface.releases import load_releases
from driftgate.wheels.store import WheelStore, cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.paths import Project


def fetch_wheels(stage: Project, releases: Sequence[str]) -> None:
    """Fetch what of ``releases`` the store lacks, without kernel sources.

    Raises:
        DriftgateError: One cannot be had.
    """
    rows = load_releases(stage.matrix / "releases.toml")
    for _ in fetch_releases(WheelStore(cache_folder()), rows, releases, lean=True):
        pass


def why_no_wheels(stage: Project, releases: Sequence[str]) -> str:
    """Fetch as above; return why one cannot be had, in one line, or empty."""
    try:
        fetch_wheels(stage, releases)
    except DriftgateError as error:
        return f"the releases themselves were not run: {error}"
    return ""
