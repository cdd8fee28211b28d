"""Environments, distributions and what is wrong with them, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    from driftgate.packages.evidence import Evidence


@dataclass(frozen=True)
class Installed:
    """One distribution of an environment.

    Attributes:
        name: Its canonical name.
        version: As it was given; empty where the installer is left to choose.
        whence: What says so, where that is not the environment itself.
    """

    name: str
    version: str = ""
    whence: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version or '(any version)'}"


@dataclass(frozen=True)
class Environment:
    """What is installed together.

    Attributes:
        installed: By canonical name.
        python: The interpreter, as ``3.11``; empty where none is named.
        variables: Environment variables that are set.
        complete: Whether nothing else is installed.
    """

    installed: Mapping[str, Installed]
    python: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    complete: bool = False

    def version(self, name: str) -> str:
        """Return the version installed, or empty."""
        found = self.installed.get(name)
        return found.version if found else ""


@dataclass(frozen=True)
class Release:
    """What a distribution's metadata says.

    Attributes:
        name: Its canonical name.
        version: As the metadata says.
        requires_python: The interpreters that it admits; empty for all.
        requires: What it requires.
        yanked: Whether the index withdrew it; None where no index was asked.
    """

    name: str
    version: str
    requires_python: str = ""
    requires: tuple[Requirement, ...] = ()
    yanked: bool | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


@dataclass(frozen=True)
class Pin:
    """One place where a project says which version of a distribution it wants.

    Attributes:
        name: The distribution's canonical name.
        specifier: What is wanted.
        site: ``file:line``, or the metadata.
        extra: The extra that it belongs to; empty where it always holds.
    """

    name: str
    specifier: SpecifierSet
    site: str
    extra: str = ""

    @property
    def exact(self) -> str:
        """The one version that is wanted, or empty."""
        for each in self.specifier:
            if each.operator in ("==", "===") and not each.version.endswith(".*"):
                return each.version
        return ""

    def __str__(self) -> str:
        under = f" (extra {self.extra})" if self.extra else ""
        return f"{self.name}{self.specifier}{under} in {self.site}"


@dataclass(frozen=True)
class Breach:
    """One thing that is wrong.

    Attributes:
        subject: The distribution that it is about, with its version.
        expected: What should be.
        got: What is.
        todo: What to do about it.
        site: Where, as ``file:line``; empty for metadata.
    """

    subject: str
    expected: str
    got: str
    todo: str
    site: str = ""


@dataclass(frozen=True)
class PackageRule:
    """One rule, as data.

    Attributes:
        title: The rule, as a sentence that is true where it is kept.
        why: What happens where it is broken.
        incidents: Ids of the public bug reports that it stands for.
        risk: Whether a breach can go well: it is told, and does not fail the environment.
    """

    title: str
    why: str
    incidents: tuple[str, ...] = ()
    risk: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule with its id and its check."""

    id: str
    data: PackageRule
    check: Callable[[Evidence], Iterator[Breach]]


@dataclass(frozen=True)
class Verdict:
    """What one rule came to.

    Attributes:
        rule: The rule.
        breaches: What is wrong.
        untold: Why nothing can be said; empty where something can.
    """

    rule: Rule
    breaches: tuple[Breach, ...] = ()
    untold: str = ""
