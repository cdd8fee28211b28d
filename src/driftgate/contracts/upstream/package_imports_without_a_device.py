from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract
from driftgate.insides.importing import ImportReader
from driftgate.surface.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_ASKS = ("torch.cuda.get_device_", "torch.cuda.current_device", "torch.cuda.mem_get_info")

CONTRACT = ReleaseContract(
    title="The whole package can be imported where no device is",
    why=(
        "A module far from what consumers use asks a device for its properties as it is imported:"
        " what it raises is no ImportError, and passes every guard against one"
    ),
    severity=Severity.CRASH,
    needs_wheel=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for questions to a device at the top of modules that the package imports."""
    package = seen.target.package
    tree = seen.sources.within(package)
    # Guarded imports count: what is raised there is not what they are guarded against.
    for name in sorted(ImportReader(Resolver(tree), package).modules):
        module = tree.module(name)
        if module is None:
            continue
        for statement in module.tree.body:
            if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)):
                continue
            for call in _calls(statement):
                asked = ast.unparse(call.func)
                if asked.startswith(_ASKS):
                    site = f"{module.path}:{call.lineno}"
                    yield Breach("asked when first needed", f"{asked}() at import", name, site)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Yield calls that run with the statement; those in a lambda wait."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.Lambda):
            continue
        if isinstance(each, ast.Call):
            yield each
        yield from _calls(each)
