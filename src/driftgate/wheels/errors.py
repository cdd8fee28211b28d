"""What can be wrong with a wheel or with the store, each in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from pathlib import Path


class HostileArchiveError(DriftgateError):
    """A wheel that would write outside its folder, or fill the disk.

    Attributes:
        filename: The wheel.
        problem: What it would do.
    """

    def __init__(self, filename: str, problem: str) -> None:
        self.filename = filename
        self.problem = problem
        super().__init__(f"{filename}: refused, {problem}; do not install it, report it")


class ReuploadedError(DriftgateError):
    """The index offers other bytes under a name that was recorded before.

    Attributes:
        filename: The wheel.
        recorded: The hash in ``matrix/releases.toml``.
        offered: The hash that the index gives now.
    """

    def __init__(self, filename: str, recorded: str, offered: str) -> None:
        self.filename = filename
        self.recorded = recorded
        self.offered = offered
        super().__init__(
            f"{filename}: re-uploaded with other bytes (sha256 {offered[:12]}…, recorded "
            f"{recorded[:12]}…); find out why before recording the release anew"
        )


class WheelMissingError(DriftgateError):
    """A wheel that is not in the store, or not to be had.

    Attributes:
        version: The release.
        problem: Where it is missing.
        remedy: What to do.
    """

    def __init__(self, version: str, problem: str, remedy: str) -> None:
        self.version = version
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"flashinfer-python {version}: {problem}; {remedy}")


class DamagedEntryError(DriftgateError):
    """A release in the store is not as its wheel has it; it says nothing about the release.

    Attributes:
        version: The release.
        file: The first file that is damaged, missing or too much.
    """

    def __init__(self, version: str, file: str) -> None:
        self.version = version
        self.file = file
        super().__init__(
            f"{version} in the store is damaged ({file}); run `driftgate wheels fetch {version}`"
        )


class StoreUnwritableError(DriftgateError):
    """The cache folder cannot be used.

    Attributes:
        folder: The folder.
        problem: Why not.
    """

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder = folder
        self.problem = problem
        super().__init__(
            f"{folder}: {problem}; set DRIFTGATE_CACHE to a folder that can be written"
        )
