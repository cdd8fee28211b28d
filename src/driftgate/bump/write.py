"""What ``--write`` brings back: records, stub, pin, and a report for the pull request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.bump.markdown import report_page
from driftgate.bump.pin import move_pin
from driftgate.bump.staging import UnwritableError, publish
from driftgate.consumers import OURS
from driftgate.surface.store import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.bump.model import Report
    from driftgate.bump.staging import Stage


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        page: The report, in Markdown; None where the pin was there already.
        files: What changed in the checkout, as paths below its root.
    """

    page: Path | None
    files: tuple[Path, ...]


def write_bump(report: Report, stage: Stage) -> Written:
    """Move the pin, and bring all that changed in ``stage`` back, or nothing of it.

    The pin is ours: a verdict for another consumer moves none.

    Raises:
        ChangedMeanwhileError: The checkout has changed since it was copied.
        UnwritableError: A file cannot be written.
    """
    if report.consumer == OURS:
        move_pin(stage.copy.root, report.new)
    page = _write_page(report, stage) if report.old != report.new else None
    try:
        files = publish(stage)
    except BaseException:
        if page is not None:
            page.unlink()  # it tells of what was not done
        raise
    return Written(page, tuple(files))


def _write_page(report: Report, stage: Stage) -> Path:
    name = f"{report.old}-to-{report.new}-{_file_name(report.consumer)}.md"
    page = stage.origin.results / "bump" / name
    try:
        write_whole(page, report_page(report))
    except OSError as error:
        raise UnwritableError(page, (error.strerror or str(error)).lower()) from error
    return page


def _file_name(consumer: str) -> str:
    return "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in consumer)
