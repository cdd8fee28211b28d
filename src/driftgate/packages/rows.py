"""The rows of ``matrix/packages.toml``: which distributions belong together, and what to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from driftgate.toml import check, read_toml, rows

if TYPE_CHECKING:
    from pathlib import Path

_KINDS: dict[str, Any] = {
    "main": str,
    "package": str,
    "companions": dict[str, str],
    "switches": dict[str, str],
    "own_check": dict[str, Any],
    "files": dict[str, Any],
    "assertions": dict[str, str],
    "arguments": dict[str, str],
    "bindings": dict[str, str],
    "brings": dict[str, str],
    "sensitive": Any,
    "fusion": dict[str, Any],
    "standard_since": dict[str, str],
    "standard_until": dict[str, str],
}
_OWN_CHECK: dict[str, Any] = {
    "modules": tuple[str, ...],
    "report": str,
    "build": str,
    "absent": tuple[str, ...],
}
_SENSITIVE: dict[str, Any] = {"name": str, "module": str, "why": str}
_FUSION: dict[str, Any] = {
    "switches": tuple[str, ...],
    "offs": tuple[str, ...],
    "under": dict[str, str],
}


@dataclass(frozen=True)
class OwnCheck:
    """How a release compares versions itself.

    Attributes:
        modules: What compares them when it is imported.
        report: ``module:function`` that reports on each distribution.
        build: The module that says the version; a checkout lacks it.
        absent: Modules that cannot be imported without a device.
    """

    modules: tuple[str, ...]
    report: str
    build: str
    absent: tuple[str, ...]


@dataclass(frozen=True)
class Sensitive:
    """A distribution of which not every release will do.

    Attributes:
        name: Its canonical name.
        module: What it brings.
        why: What another release of it breaks.
    """

    name: str
    module: str
    why: str


@dataclass(frozen=True)
class Fusion:
    """How an engine turns the fused operation on, and what it looks at before.

    Attributes:
        switches: Names of the options that it sets.
        offs: Names of options that keep it off, whatever those say.
        under: Why it does not work, by the name of the option that rules it out.
    """

    switches: tuple[str, ...]
    offs: tuple[str, ...]
    under: dict[str, str]


@dataclass(frozen=True)
class PackagesTarget:
    """What the packaging tier looks for.

    Attributes:
        main: The distribution whose Python decides.
        package: What it brings.
        companions: What another version of a companion comes to, by pattern of its name.
        switches: What an environment variable switches off.
        own_check: How releases compare versions themselves.
        files: Patterns of the files that are read, by distribution.
        assertions: The operator that a function insists on, by its name.
        arguments: The distribution whose version an argument of container files says.
        bindings: The module that a distribution brings, of those that are bindings.
        brings: The distribution that requiring another one brings along.
        sensitive: Distributions of which not every release will do.
        fusion: How an engine turns fusion on by itself.
        standard_since: The first Python whose standard library has a name.
        standard_until: The first Python whose standard library lacks it again.
    """

    main: str
    package: str
    companions: dict[str, str]
    switches: dict[str, str]
    own_check: OwnCheck
    files: dict[str, tuple[str, ...]]
    assertions: dict[str, str]
    arguments: dict[str, str]
    bindings: dict[str, str]
    brings: dict[str, str]
    sensitive: tuple[Sensitive, ...]
    fusion: Fusion
    standard_since: dict[str, str]
    standard_until: dict[str, str]

    def companion(self, name: str) -> str | None:
        """Return what another version of a companion comes to; None for what is none."""
        for pattern, why in self.companions.items():
            if fnmatchcase(name, pattern):
                return why
        return None

    def wanted(self, name: str, path: str) -> bool:
        """Whether the file at ``path`` of a distribution is read."""
        if ".." in path.split("/"):
            return False  # what is read may be written below a folder, and stays there
        return any(_matches(path, pattern) for pattern in self.files.get(name, ()))


def load_packages_target(path: Path) -> PackagesTarget:
    """Read ``packages.toml``.

    Raises:
        InvalidDataError: It is missing, is not TOML, or a row is not what it must be.
    """
    document = read_toml(path)
    check(path, "the file", document, _KINDS, required=_KINDS)
    own, files, fusion = document["own_check"], document["files"], document["fusion"]
    check(path, "[own_check]", own, _OWN_CHECK, required=_OWN_CHECK)
    check(path, "[fusion]", fusion, _FUSION, required=_FUSION)
    check(path, "[files]", files, dict.fromkeys(files, tuple[str, ...]))
    sensitive = rows(path, document, "sensitive")
    for row in sensitive:
        check(path, "a [[sensitive]] row", row, _SENSITIVE, required=_SENSITIVE)
    return PackagesTarget(
        **{
            **document,
            "own_check": OwnCheck(
                tuple(own["modules"]), own["report"], own["build"], tuple(own["absent"])
            ),
            "files": {name: tuple(patterns) for name, patterns in files.items()},
            "sensitive": tuple(Sensitive(**row) for row in sensitive),
            "fusion": Fusion(tuple(fusion["switches"]), tuple(fusion["offs"]), fusion["under"]),
        }
    )


def _matches(path: str, pattern: str) -> bool:
    """Whether a slash-separated path matches: ``*`` within a folder, ``**`` over folders."""
    parts = (
        ".*" if part == "**" else "[^/]*" if part == "*" else re.escape(part)
        for part in re.split(r"(\*\*/?|\*)", pattern.replace("**/", "**"))
    )
    return re.fullmatch("".join(parts), path) is not None
