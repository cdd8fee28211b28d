"""Take the wanted files out of a consumer's released wheel, by ranged requests, once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from driftgate.calls.model import Source
from driftgate.index.archives import open_archive
from driftgate.index.listing import list_archives
from driftgate.index.session import CountingSession
from driftgate.released.errors import FilesMissingError, NoSuchReleaseError
from driftgate.surface.store import write_whole
from driftgate.wheels.errors import StoreUnwritableError

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.index.archives import Release
    from driftgate.index.settings import IndexSettings
    from driftgate.released.rows import ConsumerRow

_FOLDER = "consumers"
# Below the cache folder: the files, by the sha256 of their content.
FILES_FOLDER = f"{_FOLDER}/files"
_EXACTLY = "=="


@dataclass(frozen=True)
class ReleasedConsumer:
    """The wanted files of one release.

    Attributes:
        distribution: The project on the index.
        release: The version, normalised.
        filename: The archive that the files come from.
        size: The archive's bytes.
        fetched: Bytes that were fetched to get the files, the index's listing left out.
        files: The files, by path in the archive.
        pins: What the release requires of FlashInfer, by distribution: ``==0.7.2``.
    """

    distribution: str
    release: str
    filename: str
    size: int
    fetched: int
    files: tuple[Source, ...]
    pins: dict[str, str]

    def pinned(self) -> str:
        """Return the one release of FlashInfer that it requires, or empty."""
        spelled = self.pins.get("flashinfer-python", "")
        return spelled.removeprefix(_EXACTLY) if spelled.startswith(_EXACTLY) else ""


def fetch_consumer(
    row: ConsumerRow, release: str, cache: Path, settings: IndexSettings
) -> ReleasedConsumer:
    """Return the wanted files of ``release``; what was fetched before needs no network.

    Args:
        row: The consumer.
        release: A normalised version.
        cache: The cache folder. Files lie there by the sha256 of their content, so releases that
            ship equal modules share them.
        settings: The index to ask.

    Raises:
        NoSuchReleaseError: The index does not offer it.
        FilesMissingError: It has none of the files.
        IndexUnavailableError: The index, or the archive, cannot be read.
        DamagedArchiveError: The archive cannot be unpacked.
        StoreUnwritableError: The cache folder cannot be written.
    """
    folder = cache / _FOLDER
    kept = _load(folder, row, release)
    if kept is not None:
        return kept
    found = _fetch(row, release, settings)
    try:
        _keep(folder, found, row)
    except OSError as error:
        problem = (error.strerror or type(error).__name__).lower()
        raise StoreUnwritableError(folder, problem) from error
    return found


def is_fetched(row: ConsumerRow, release: str, cache: Path) -> bool:
    """Whether the wanted files of ``release`` are there without the network."""
    return _load(cache / _FOLDER, row, release) is not None


def _fetch(row: ConsumerRow, release: str, settings: IndexSettings) -> ReleasedConsumer:
    with CountingSession(settings) as session:
        archives = list_archives(row.distribution, settings, session)
        archive = archives.get(release)
        if archive is None:
            newest = next(reversed(archives), "")
            raise NoSuchReleaseError(row.distribution, release, newest)
        before = session.bytes_fetched
        with open_archive(archive, session) as opened:
            files = _wanted(opened, row.files)
            pins = _pins(opened.metadata())
            size = opened.size
        fetched = session.bytes_fetched - before
    if not files:
        raise FilesMissingError(archive.filename, row.files)
    return ReleasedConsumer(row.distribution, release, archive.filename, size, fetched, files, pins)


def _wanted(opened: Release, wanted: tuple[str, ...]) -> tuple[Source, ...]:
    paths = [
        path for path in opened.names() if any(f"/{path}".endswith(f"/{each}") for each in wanted)
    ]
    return tuple(Source(path, opened.read(path) or "") for path in paths)


def _pins(metadata: str) -> dict[str, str]:
    """Return what core metadata requires of distributions called flashinfer-something."""
    pins: dict[str, str] = {}
    for line in metadata.splitlines():
        field, _, value = line.partition(": ")
        if not line:
            break
        if field != "Requires-Dist":
            continue
        try:
            requirement = Requirement(value)
        except InvalidRequirement:
            continue
        name = canonicalize_name(requirement.name)
        if name.startswith("flashinfer") and requirement.specifier:
            pins[name] = str(requirement.specifier)
    return pins


def _load(folder: Path, row: ConsumerRow, release: str) -> ReleasedConsumer | None:
    """Return what was kept; None where something is missing, damaged or no longer all."""
    try:
        text = (folder / row.name / f"{release}.json").read_text(encoding="utf-8")
        kept = json.loads(text)
        if tuple(kept["wanted"]) != row.files:
            return None
        files = []
        for path, digest in kept["files"].items():
            data = (folder / "files" / digest).read_bytes()
            if hashlib.sha256(data).hexdigest() != digest:
                return None
            files.append(Source(path, data.decode("utf-8")))
        return ReleasedConsumer(
            row.distribution,
            release,
            kept["filename"],
            kept["size"],
            kept["fetched"],
            tuple(files),
            kept["pins"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _keep(folder: Path, found: ReleasedConsumer, consumer: ConsumerRow) -> None:
    digests = {}
    for source in found.files:
        digest = hashlib.sha256(source.text.encode("utf-8")).hexdigest()
        digests[source.path] = digest
        write_whole(folder / "files" / digest, source.text)
    row = {
        "wanted": consumer.files,
        "filename": found.filename,
        "size": found.size,
        "fetched": found.fetched,
        "files": digests,
        "pins": found.pins,
    }
    text = json.dumps(row, indent=1, sort_keys=True) + "\n"
    write_whole(folder / consumer.name / f"{found.release}.json", text)
