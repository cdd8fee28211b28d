"""Which package index pip is configured with: its environment variables and config files."""

from __future__ import annotations

import configparser
import os
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from pypi_simple import PYPI_SIMPLE_ENDPOINT

from driftgate.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_INDEX = PYPI_SIMPLE_ENDPOINT
# Sections that `pip install` reads, weakest first.
_SECTIONS = ("global", "install")


@dataclass(frozen=True)
class IndexSettings:
    """Where releases are looked for.

    Attributes:
        index_url: The main index; not used where ``no_index`` is set.
        extra_index_urls: Further indexes; any of them may lack the project.
        find_links: Folders, files or pages that list archives.
        no_index: Look at ``find_links`` only.
        cert: A CA bundle, or empty for the default.
    """

    index_url: str = DEFAULT_INDEX
    extra_index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    no_index: bool = False
    cert: str = ""

    @property
    def indexes(self) -> tuple[str, ...]:
        """The indexes to ask, in order."""
        return () if self.no_index else (self.index_url, *self.extra_index_urls)


def read_settings(
    environ: Mapping[str, str] = os.environ, config_files: tuple[Path, ...] | None = None
) -> IndexSettings:
    """Read pip's settings as pip does: config files from general to special, then ``PIP_*``.

    Args:
        environ: The environment.
        config_files: Config files, weakest first; default: those that pip would read.

    Raises:
        InvalidDataError: A config file cannot be parsed.
    """
    files = _config_files(environ) if config_files is None else config_files
    values: dict[str, str] = {}
    for file in files:
        values.update(_config_values(file))
    for setting in fields(IndexSettings):
        for name in (setting.name, _SPELLING.get(setting.name, setting.name)):
            given = environ.get(f"PIP_{name.upper()}")
            if given:
                values[name] = given
    return IndexSettings(
        index_url=values.get("index_url", DEFAULT_INDEX).strip(),
        extra_index_urls=tuple(values.get("extra_index_url", "").split()),
        find_links=tuple(values.get("find_links", "").split()),
        no_index=values.get("no_index", "").strip().lower() in ("1", "true", "yes", "on", "y", "t"),
        cert=values.get("cert", "").strip(),
    )


_SPELLING = {"extra_index_urls": "extra_index_url"}


def _config_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return pip's config files on a POSIX system, weakest first."""
    named = environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return ()
    home = Path(environ.get("HOME", "~")).expanduser()
    system = [Path(folder) for folder in _folders(environ.get("XDG_CONFIG_DIRS") or "/etc/xdg")]
    files = [folder / "pip" / "pip.conf" for folder in system]
    files.append(Path("/etc/pip.conf"))
    if not (named and Path(named).exists()):
        config_home = environ.get("XDG_CONFIG_HOME") or home / ".config"
        files += [home / ".pip" / "pip.conf", Path(config_home) / "pip" / "pip.conf"]
    files.append(Path(sys.prefix) / "pip.conf")
    if named:
        files.append(Path(named))
    return tuple(files)


def _folders(joined: str) -> Iterator[str]:
    return (folder for folder in joined.split(os.pathsep) if folder)


def _config_values(file: Path) -> dict[str, str]:
    parser = configparser.RawConfigParser()
    try:
        parser.read(file, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as error:
        problem = str(error).splitlines()[0]
        raise InvalidDataError(file, problem, "mend it, or see `pip config debug`") from error
    return {
        key.replace("-", "_"): value
        for section in _SECTIONS
        if parser.has_section(section)
        for key, value in parser.items(section)
    }
