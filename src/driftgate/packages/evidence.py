"""What rules judge by: an environment, and what can be read of the distributions in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from driftgate.errors import IndexUnavailableError, InvalidDataError
from driftgate.insides.diff import diff_insides
from driftgate.insides.importing import ImportReader
from driftgate.insides.model import Insides
from driftgate.insides.store import load_insides
from driftgate.packages.consumers import Subject, pins_in_files
from driftgate.packages.errors import CannotTellError
from driftgate.packages.metadata import extras_of, holds
from driftgate.packages.model import Installed, Pin
from driftgate.packages.own_check import Findings, run_own_check
from driftgate.packages.versions import base, public
from driftgate.surface.releases import ReleaseRow
from driftgate.surface.resolve import Resolver
from driftgate.surface.sources import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driftgate.insides.target import InsidesTarget
    from driftgate.packages.catalogue import Catalogue
    from driftgate.packages.model import Environment, Release
    from driftgate.packages.rows import PackagesTarget
    from driftgate.paths import Project
    from driftgate.surface.difference import Difference
    from driftgate.surface.sources import ParsedModule

# For markers, where neither the environment nor the metadata leads to one.
_ANY_PYTHON = "3.12"


class _Files:
    """Files as a source tree reads them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def read(self, path: str) -> str | None:
        return self._files.get(path)


@dataclass(frozen=True)
class Evidence:
    """What rules judge by.

    Attributes:
        environment: What is installed together.
        consumer: The project that it is for, or None.
        target: Which distributions belong together, and what to read of each.
        insides: What is looked for at the top of modules.
        catalogue: Answers about distributions.
        project: The recorded releases.
    """

    environment: Environment
    consumer: Subject | None
    target: PackagesTarget
    insides: InsidesTarget
    catalogue: Catalogue
    project: Project

    @cached_property
    def main(self) -> Installed | None:
        """The distribution whose Python decides: as installed, or else as an engine pins it."""
        found = self.environment.installed.get(self.target.main)
        if found is not None and found.version:
            return found
        pins = [pin for engine in self.engines for pin in self.pins(engine)]
        # What holds always before what an extra adds.
        for pin in sorted(pins, key=lambda each: each.extra != ""):
            if pin.name == self.target.main and pin.exact:
                return Installed(pin.name, pin.exact, f"pinned by {pin.site}")
        return found

    def main_version(self) -> str:
        """Return the version of it.

        Raises:
            CannotTellError: Nothing says one.
        """
        if self.main is None or not self.main.version:
            raise CannotTellError(f"nothing says which {self.target.main} it is")
        return self.main.version

    @cached_property
    def companions(self) -> tuple[Installed, ...]:
        """The distributions of kernels that are installed."""
        there = self.environment.installed.values()
        return tuple(each for each in there if self.target.companion(each.name) is not None)

    def companions_there(self) -> tuple[Installed, ...]:
        """Return the distributions of kernels that are installed.

        Raises:
            CannotTellError: There are none.
        """
        if not self.companions:
            raise CannotTellError("no distribution of kernels is installed")
        return self.companions

    @cached_property
    def code(self) -> Release:
        """The release whose Python runs.

        A checkout that cannot tell its version is taken to be as old as the kernels beside it.

        Raises:
            CannotTellError: None is known.
        """
        version = self.main_version()
        candidates = [version]
        if public(version) is None:
            candidates = [each.version for each in self.companions]
        for each in candidates:
            for spelled in (each.partition("+")[0], base(each)):
                found = self.catalogue.release(self.target.main, spelled) if spelled else None
                if found is not None:
                    return found
        raise CannotTellError(f"{self.target.main} {version} is not at hand to be read")

    def code_files(self) -> Mapping[str, str]:
        """Return the files of the release whose Python runs.

        Raises:
            CannotTellError: None is known, or it has none of them.
        """
        files = self.catalogue.files(self.target.main, self.code.version)
        if not files:
            raise CannotTellError(f"{self.code} has none of the files that are read")
        return files

    @cached_property
    def _read(self) -> tuple[tuple[Subject, ...], dict[str, str]]:
        """The consumer and what is installed, as far as metadata is at hand, and why not beyond."""
        found = [self.consumer] if self.consumer else []
        unread = {}
        if self.consumer and not self.consumer.release.requires:
            unread[str(self.consumer.release)] = "its metadata requires nothing"
        for each in self.environment.installed.values():
            if not each.version:
                continue
            try:
                release = self.catalogue.release(each.name, each.version)
            except IndexUnavailableError as error:
                unread[str(each)] = str(error)
                continue
            if release is None:
                unread[str(each)] = "the index offers no such release"
            elif not (self.consumer and self.consumer.release.name == each.name):
                found.append(Subject(release, self._files_of(release)))
        return tuple(found), unread

    def _files_of(self, release: Release) -> Mapping[str, str]:
        """Return the files in which an engine may pin others."""
        if release.name == self.target.main or not self._is_engine(release):
            return {}
        return self.catalogue.files(release.name, release.version)

    @property
    def unread(self) -> dict[str, str]:
        """Why no metadata is at hand, by what is installed."""
        return self._read[1]

    @cached_property
    def engines(self) -> tuple[Subject, ...]:
        """The consumer, and what is installed that requires the main distribution."""
        return tuple(
            each for each in self._read[0] if each is self.consumer or self._is_engine(each.release)
        )

    def _is_engine(self, release: Release) -> bool:
        return any(canonicalize_name(each.name) == self.target.main for each in release.requires)

    def engines_there(self) -> tuple[Subject, ...]:
        """Return the consumer, and what is installed that requires the main distribution.

        Raises:
            CannotTellError: There is nothing of the kind.
        """
        if not self.engines:
            raise CannotTellError("no consumer is named, and none is installed")
        return self.engines

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The consumer, and what is installed or pinned, as far as metadata is at hand."""
        found = list(self._read[0])
        if self.main and self.main.whence:
            release = self.catalogue.release(self.main.name, self.main.version)
            found += [Subject(release, {})] if release else []
        return tuple(found)

    def subjects_there(self) -> tuple[Subject, ...]:
        """Return the consumer, and what is installed, as far as metadata is at hand.

        Raises:
            CannotTellError: Of nothing.
        """
        if not self.subjects:
            raise CannotTellError("no metadata is at hand")
        return self.subjects

    @property
    def marker_python(self) -> str:
        """The interpreter that markers are judged for."""
        return self.environment.python or _ANY_PYTHON

    def pins(self, subject: Subject) -> Iterator[Pin]:
        """Yield every place where a project says what it wants of another one."""
        release = subject.release
        python = self.marker_python
        for extra in ("", *extras_of(release)):
            for each in release.requires:
                always = holds(each, python)
                if each.specifier and holds(each, python, extra) and not (extra and always):
                    yield Pin(
                        canonicalize_name(each.name), each.specifier, f"{release} METADATA", extra
                    )
        yield from pins_in_files(subject, self.target)

    @cached_property
    def at_import(self) -> tuple[Difference, ...]:
        """What importing the package asks of an environment, all of it.

        Raises:
            CannotTellError: The release is not at hand.
        """
        release = self.code
        row = ReleaseRow(
            release.version,
            "",
            "",
            0,
            "",
            release.requires_python,
            tuple(map(str, release.requires)),
        )
        found = diff_insides(Insides(""), self._insides(release), self.insides, row, frozenset())
        return tuple(found)

    def _insides(self, release: Release) -> Insides:
        if (self.project.insides / f"{release.version}.json").is_file():
            return load_insides(self.project.insides, release.version)
        reader = self._reader
        return Insides(release.version, imports=reader.imports(), generics=reader.generics())

    @cached_property
    def _tree(self) -> SourceTree:
        return SourceTree(_Files(self.code_files()), self.target.package)

    @cached_property
    def _reader(self) -> ImportReader:
        root = self.insides.root
        try:
            return ImportReader(Resolver(self._tree.within(root)), root)
        except InvalidDataError as error:
            raise CannotTellError(f"this Python cannot read {self.code} ({error})") from error

    def modules_at_import(self) -> Iterator[ParsedModule]:
        """Yield the modules that importing the package imports for sure.

        Raises:
            CannotTellError: The release is not at hand, or not to be read.
        """
        for name, guarded in self._reader.modules.items():
            module = self._tree.module(name)
            if module is not None and not guarded:
                yield module

    def own_check(self, companions: Mapping[str, str]) -> Findings:
        """Ask the release itself what it says of ``companions``, by name and version.

        Raises:
            CannotTellError: It compares nothing, or cannot be asked here.
        """
        version = self.main_version()
        installed = {self.target.main: version, **companions}
        variables = {
            name: value
            for name, value in self.environment.variables.items()
            if name in self.target.switches
        }
        return run_own_check(
            self.code_files(), self.target, installed, variables, known=public(version) is not None
        )
