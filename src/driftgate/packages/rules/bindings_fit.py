from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.packages.bindings import unlike, uses
from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.packages.evidence import Evidence

RULE = PackageRule(
    title="A binding has the names and fields that a release takes from it",
    why="A call fails on the way to a workspace, where little is caught: fusion is off or wrong",
    incidents=("I32",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Run the binding's module by itself, and look for what the release uses of it."""
    judged = False
    for name, module in seen.target.bindings.items():
        version = seen.environment.version(name)
        sources = seen.catalogue.files(name, version) if version else {}
        source = sources.get(f"{module.replace('.', '/')}.py")
        if source is None:
            continue
        judged = True
        wanted = list(dict.fromkeys(uses(seen.code_files(), module)))
        for use, what in unlike(source, wanted) if wanted else ():
            taken = f"{module}.{use.name}" + (f".{use.field}, read by place" if use.field else "")
            yield Breach(
                f"{name} {version}",
                f"{taken}, which {seen.code} takes from it",
                what,
                f"install another release of {name}",
                use.site,
            )
    if not judged:
        raise CannotTellError("no binding that is read is installed")
