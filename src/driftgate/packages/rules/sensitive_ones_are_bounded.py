from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from driftgate.packages.errors import CannotTellError
from driftgate.packages.metadata import holds
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="Distributions of which not every release will do are required with a bound",
    why="A later or an older release of them breaks builds and calls that worked",
    incidents=("I32", "I35"),
    risk=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for requirements without any bound, and for imports without any requirement."""
    subjects = [each for each in seen.subjects_there() if _is_judged(seen, each.release.name)]
    if not subjects:
        raise CannotTellError("neither a consumer nor its kernels' Python is at hand")
    for subject in subjects:
        release = subject.release
        python = seen.marker_python
        required = {
            str(canonicalize_name(each.name)): each.specifier
            for each in release.requires
            if holds(each, python)
        }
        is_main = release.name == seen.target.main
        files = seen.catalogue.files(release.name, release.version) if is_main else {}
        for row in seen.target.sensitive:
            if row.name in required:
                site = ""
                got = f"required as {row.name}{required[row.name]}"
                broken = not str(required[row.name])
            else:
                site = _imported(files, row.module)
                got = f"imports {row.module}, and requires no {row.name}"
                broken = bool(site)
            if broken:
                todo = f"hold {row.name} to a release that this one was tried with"
                yield Breach(str(release), f"a bound: {row.why}", got, todo, site)


def _is_judged(seen: Evidence, name: str) -> bool:
    return name == seen.target.main or name in {each.release.name for each in seen.engines}


def _imported(files: Mapping[str, str], module: str) -> str:
    """Return where a module is imported, at the top or in a function; empty for nowhere."""
    for path, text in files.items():
        if path.endswith(".py") and module in text:
            with suppress(SyntaxError, ValueError):
                for node in ast.walk(ast.parse(text)):
                    if any(f"{name}.".startswith(f"{module}.") for name in _names(node)):
                        return f"{path}:{getattr(node, 'lineno', 1)}"
    return ""


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
