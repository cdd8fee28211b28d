"""A consumer as the packaging tier sees it: what it requires, and every place that says so."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from driftgate.errors import InvalidDataError
from driftgate.packages.errors import BadEnvironmentError
from driftgate.packages.metadata import parsed
from driftgate.packages.model import Pin, Release
from driftgate.released.errors import NoSuchReleaseError
from driftgate.toml import parse_toml, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driftgate.packages.catalogue import Catalogue
    from driftgate.packages.rows import PackagesTarget

_FILE = "file:"
_FORM = "write name==version or file:PATH"
_PROJECT = "pyproject*.toml"
_READ = (_PROJECT, "requirements*.txt", "Dockerfile*", "*.py")
# Folders of others: environments, builds, what version control keeps.
_PASSED_OVER = ("build", "dist", "node_modules", "tests", "third_party")
_WORD = r"[A-Za-z0-9][\w.-]*"
_PINNED = re.compile(rf"(?<![\w=])({_WORD}?)(\[[\w,-]*\])?\s*(===?)\s*v?(\d[\w.+!]*)")


@dataclass(frozen=True)
class Subject:
    """A project that requires others.

    Attributes:
        release: Its metadata.
        files: Its files that may say more, by path.
        extras: Those that are asked for.
    """

    release: Release
    files: Mapping[str, str]
    extras: tuple[str, ...] = ()


def find_subject(name: str, catalogue: Catalogue) -> Subject:
    """Return the consumer that ``vllm==0.33.0``, ``vllm[extra]==0.33.0`` or ``file:PATH`` spells.

    A path is a folder with a ``pyproject.toml``, or that file.

    Raises:
        BadEnvironmentError: It spells none.
        NoSuchReleaseError: The index has no such release.
        InvalidDataError: A file cannot be used.
    """
    if name.startswith(_FILE):
        return _folder(Path(name.removeprefix(_FILE)))
    try:
        spelled = Requirement(name)
    except InvalidRequirement as error:
        raise BadEnvironmentError(name, "no consumer", _FORM) from error
    pin = Pin(canonicalize_name(spelled.name), spelled.specifier, name)
    if not pin.exact or len(spelled.specifier) != 1:
        raise BadEnvironmentError(name, "says no single version", _FORM)
    release = catalogue.release(pin.name, pin.exact)
    if release is None:
        raise NoSuchReleaseError(pin.name, pin.exact, catalogue.newest(pin.name))
    files = catalogue.files(pin.name, pin.exact)
    return Subject(release, files, tuple(sorted(spelled.extras)))


def pins_in_files(subject: Subject, target: PackagesTarget) -> Iterator[Pin]:
    """Yield what the subject's files say beside its metadata."""
    for path, text in subject.files.items():
        name = path.rpartition("/")[2]
        if name.endswith(".py"):
            yield from _asserted(path, text, target)
        elif name.endswith(".toml"):
            yield from _declared(path, text)
        elif name.endswith(".txt"):
            yield from _lines(path, text)
        else:
            yield from _built(path, text, target)


def _folder(path: Path) -> Subject:
    project = path / "pyproject.toml" if path.is_dir() else path
    if not (project.is_file() and fnmatchcase(project.name, _PROJECT)):
        problem = "no project file" if path.exists() else "there is no such path"
        raise InvalidDataError(path, problem, "give the folder of a pyproject.toml")
    root = project.parent
    table = read_toml(project).get("project", {})
    if not isinstance(table, dict):
        raise InvalidDataError(project, "project is no table", "write [project]")
    files = {each.relative_to(root).as_posix(): _read(each) for each in _own_files(root)}
    release = Release(
        canonicalize_name(str(table.get("name", root.name))),
        str(table.get("version", "")),
        str(table.get("requires-python", "")),
        tuple(parsed(_texts(table.get("dependencies")))),
    )
    return Subject(release, files)


def _own_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            each
            for each in folders
            if not each.startswith(".")
            and each not in _PASSED_OVER
            and not (here / each / "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            # No link to nowhere, and no pipe.
            if any(fnmatchcase(name, pattern) for pattern in _READ) and (here / name).is_file():
                yield here / name


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDataError(file, f"cannot be read ({error})", "restore the file") from error


def _asserted(path: str, text: str, target: PackagesTarget) -> Iterator[Pin]:
    """Yield what calls insist on: ``assert_pkg_version("name", "1.2.3", …)``."""
    if not any(name in text for name in target.assertions):
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        operator = target.assertions.get(ast.unparse(node.func).rpartition(".")[2])
        said = [each.value for each in node.args if isinstance(each, ast.Constant)]
        if operator and len(said) > 1 and isinstance(said[0], str) and isinstance(said[1], str):
            yield from _pin(said[0], f"{operator}{said[1]}", f"{path}:{node.lineno}")


def _declared(path: str, text: str) -> Iterator[Pin]:
    """Yield what a project file requires; the extras of one are those of all."""
    table = parse_toml(path, text).get("project", {})
    if not isinstance(table, dict):
        return
    optional = table.get("optional-dependencies", {})
    groups = {"": table.get("dependencies"), **(optional if isinstance(optional, dict) else {})}
    for extra, texts in groups.items():
        for each in parsed(_texts(texts)):
            if each.specifier:
                line = _line(text, each.name, str(each.specifier))
                yield from _pin(each.name, str(each.specifier), f"{path}:{line}", str(extra))


def _lines(path: str, text: str) -> Iterator[Pin]:
    for number, line in enumerate(text.splitlines(), start=1):
        for each in parsed([line.partition("#")[0].strip()]):
            if each.specifier:
                yield from _pin(each.name, str(each.specifier), f"{path}:{number}")


def _built(path: str, text: str, target: PackagesTarget) -> Iterator[Pin]:
    """Yield what a container file installs, or says in an argument that is known."""
    for number, line in enumerate(text.splitlines(), start=1):
        said = line.partition("#")[0]
        for match in _PINNED.finditer(said):
            yield from _pin(match[1], f"=={match[4]}", f"{path}:{number}")
        for argument, name in target.arguments.items():
            value = re.search(rf"\b{argument}=[\"']?v?(\d[\w.+]*)", said)
            if value:
                yield from _pin(name, f"=={value[1]}", f"{path}:{number}")


def _pin(name: str, specifier: str, site: str, extra: str = "") -> Iterator[Pin]:
    try:
        yield Pin(canonicalize_name(name), SpecifierSet(specifier), site, extra)
    except InvalidSpecifier:
        return


def _line(text: str, name: str, specifier: str) -> int:
    """Return the line that requires ``name``: with its first version, or else any."""
    version = re.split(r"[<>=!~]+", specifier)[-1].split(",")[0]
    lines = text.splitlines()
    for wanted in ((name, version), (name,)):
        for number, line in enumerate(lines, start=1):
            if all(each in line for each in wanted):
                return number
    return 1


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - whatever the file holds there
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
