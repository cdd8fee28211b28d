"""A package's Python files, read only when asked for, and parsed, never imported."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from driftgate.errors import InvalidDataError
from driftgate.surface.bindings import Bindings, collect_bindings

if TYPE_CHECKING:
    from pathlib import Path


class Files(Protocol):
    """A folder-like thing: a folder, a wheel, a source archive."""

    def read(self, path: str) -> str | None:
        """Return the text of the file at the slash-separated ``path``, or None if it is not there.

        Raises:
            DriftgateError: The file is there and cannot be read.
        """


class Folder:
    """Files below a folder on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> str | None:
        """Return the text at ``path`` below the folder, or None."""
        file = self.root / path
        if not file.is_file():
            return None
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidDataError(file, f"unreadable ({error})", "restore the file") from error


class ParsedModule:
    """One module: its name, where it lies, and what it binds.

    Attributes:
        name: Dotted name.
        path: Slash-separated path in the archive.
        tree: The parsed source.
        bindings: What its top level binds.

    Raises:
        SyntaxError: The source is no Python.
        ValueError: It holds a null byte.
    """

    def __init__(self, name: str, path: str, source: str) -> None:
        self.name = name
        self.path = path
        self.tree = ast.parse(source, filename=path)
        self.bindings: Bindings = collect_bindings(self.tree)

    @property
    def is_package(self) -> bool:
        """Whether this is an ``__init__``."""
        return self.path.endswith("/__init__.py")

    @property
    def lazy_annotations(self) -> bool:
        """Whether ``from __future__ import annotations`` is in force."""
        return any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in self.tree.body
        )

    def absolute(self, module: str | None, level: int) -> str:
        """Return the dotted name that an import of ``module`` at ``level`` dots means here."""
        if not level:
            return module or ""
        parts = self.name.split(".")
        base = parts[: len(parts) - level + (1 if self.is_package else 0)]
        return ".".join([*base, module] if module else base)


class SourceTree:
    """The modules of one package in :class:`Files`."""

    def __init__(self, files: Files, package: str) -> None:
        self.package = package
        self._files = files
        self._modules: dict[str, ParsedModule | None] = {}

    def module(self, name: str) -> ParsedModule | None:
        """Return the module called ``name``; None if the archive has none, or it is another's."""
        if name != self.package and not name.startswith(f"{self.package}."):
            return None
        if name not in self._modules:
            self._modules[name] = self._load(name)
        return self._modules[name]

    def within(self, package: str) -> SourceTree:
        """Return a view of the modules below ``package``; what either has read, both have."""
        view = SourceTree(self._files, package)
        view._modules = self._modules
        return view

    def _load(self, name: str) -> ParsedModule | None:
        stem = name.replace(".", "/")
        for path in (f"{stem}.py", f"{stem}/__init__.py"):
            source = self._files.read(path)
            if source is not None:
                return self._parse(name, path, source)
        return None

    def _parse(self, name: str, path: str, source: str) -> ParsedModule:
        try:
            return ParsedModule(name, path, source)
        except (SyntaxError, ValueError) as error:
            problem = f"not Python ({error})"
            if isinstance(self._files, Folder):
                raise InvalidDataError(self._files.root / path, problem, "mend it") from error
            raise InvalidDataError(path, problem, "fetch the archive again") from error
