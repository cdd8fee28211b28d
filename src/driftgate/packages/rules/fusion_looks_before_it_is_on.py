from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError
from driftgate.packages.model import Breach, PackageRule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from driftgate.packages.evidence import Evidence
    from driftgate.packages.rows import Fusion

RULE = PackageRule(
    title="Where an engine turns fusion on by itself, it looks at the options that rule it out",
    why="Nobody asked for it, and results differ from run to run, are wrong, or start-up hangs",
    risk=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for options that neither keep fusion from being turned on, nor turn it off."""
    fusion = seen.target.fusion
    judged = False
    for engine in seen.engines_there():
        trees = dict(_parsed(engine.files, fusion))
        ons = [
            (f"{path}:{node.lineno}", tests)
            for path, tree in trees.items()
            for node, tests in _assignments(tree, ())
            if _sets(node, fusion.switches, on=True)
        ]
        judged = judged or bool(ons)
        text = "\n".join(engine.files[path] for path in trees)
        for option, why in fusion.under.items():
            if option not in text or any(
                _turns_off(tree, option, fusion) for tree in trees.values()
            ):
                continue
            for site, tests in ons:
                if not any(option in names for names in tests):
                    yield Breach(
                        str(engine.release),
                        f"fusion off under {option}: {why}",
                        "it is turned on whatever that option says",
                        f"do not set {option} and fusion together",
                        site,
                    )
    if not judged:
        raise CannotTellError("no consumer is seen to turn fusion on by itself")


def _parsed(files: Mapping[str, str], fusion: Fusion) -> Iterator[tuple[str, ast.Module]]:
    for path, text in files.items():
        if path.endswith(".py") and any(switch in text for switch in fusion.switches):
            with suppress(SyntaxError, ValueError):
                yield path, ast.parse(text)


def _turns_off(tree: ast.AST, option: str, fusion: Fusion) -> bool:
    return any(
        (_sets(node, fusion.switches, on=False) or _sets(node, fusion.offs, on=True))
        and any(option in names for names in tests)
        for node, tests in _assignments(tree, ())
    )


def _assignments(
    node: ast.AST, tests: tuple[set[str], ...]
) -> Iterator[tuple[ast.Assign, tuple[set[str], ...]]]:
    """Yield assignments, each with the names in the conditions that lead to it."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.Assign):
            yield each, tests
        elif isinstance(each, ast.If):
            # What follows an `else` depends on the condition as well.
            yield from _assignments(each, (*tests, _names(each.test)))
        else:
            yield from _assignments(each, tests)


def _names(test: ast.expr) -> set[str]:
    found = set()
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def _sets(node: ast.Assign, names: Collection[str], *, on: bool) -> bool:
    value = node.value
    if not isinstance(value, ast.Constant) or bool(value.value) is not on:
        return False
    return any(isinstance(each, ast.Attribute) and each.attr in names for each in node.targets)
