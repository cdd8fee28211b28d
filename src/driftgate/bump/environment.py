"""What a release asks of the machine that it is installed on, and does when it is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from driftgate.bump.model import Change, Line, Verdict
from driftgate.insides.requirements import admitted
from driftgate.surface.difference import Difference, Kind, Level

if TYPE_CHECKING:
    from driftgate.bump.context import Context

_NOTHING = "nothing that worked changes"
_HARMLESS = {
    Kind.CALL_AT_IMPORT_ADDED: "calls nothing that reaches a device",
    Kind.SYMBOL_ADDED: "new, and nobody has to use it",
}
_REQUIREMENTS = (Kind.REQUIREMENT_ADDED, Kind.REQUIREMENT_REMOVED, Kind.REQUIREMENT_CHANGED)


def judge_environment(difference: Difference, context: Context) -> Line | None:
    """Return the line of what everybody notices who installs or imports it; None for the rest."""
    if difference.kind in _REQUIREMENTS and difference.level is Level.COSMETIC:
        return None  # of an extra that is not installed
    judge = _JUDGES.get(difference.kind)
    if judge is not None:
        return judge(difference, context)
    return _at_import(difference, context) if difference.symbol == context.root else None


def _requirement(difference: Difference, context: Context) -> Line:
    return context.line(difference, Verdict.SAFE, "the installer brings what is required")


def _at_import(difference: Difference, context: Context) -> Line:
    if difference.kind is Kind.CALL_DEFERRED:
        why = "no longer done at import but at first use: it fails later, after other libraries"
        todo = "use it where all that you load is loaded, on a GPU, and see that fusion stays on"
        return context.line(difference, Verdict.GPU, why, todo)
    if difference.level is Level.DANGEROUS:
        why = "importing it reaches the device"
        todo = "import it in a process that forks workers, on a GPU, and see that they start"
        return context.line(difference, Verdict.GPU, why, todo)
    return context.line(difference, Verdict.SAFE, _HARMLESS.get(difference.kind, _NOTHING))


def _mandatory(difference: Difference, context: Context) -> Line:
    if difference.level is not Level.BREAKING:
        return _requirement(difference, context)
    todo = "add that distribution to your own requirements"
    why = "imported, and its metadata does not ask for it"
    return context.line(difference, Verdict.BLOCKED, why, todo)


def _requires_python(difference: Difference, context: Context) -> Line:
    if not _admits(difference.new or "", context.python):
        why = f"this is Python {context.python}, which it does not admit"
        return context.line(difference, Verdict.BLOCKED, why, "run a Python that it admits")
    lost = _declared(context) - set(admitted(difference.new or ""))
    if lost:
        todo = f"raise requires-python in pyproject.toml to {difference.new}"
        why = f"no longer to be had for {_spelled(lost)}, which this project admits"
        return context.line(difference, Verdict.CHANGE, why, todo)
    return context.line(difference, Verdict.SAFE, "every Python of this project is admitted")


def _import_fails(difference: Difference, context: Context) -> Line:
    needed = context.generic_since[(difference.new or "").partition("[")[0]]
    todo = f"run Python {needed} or later, or wait for a release that imports without it"
    if Version(context.python) < needed:
        why = f"its import fails here, on Python {context.python}"
        return context.line(difference, Verdict.BLOCKED, why, todo)
    failing = {text for text in _declared(context) if Version(text) < needed}
    if failing and difference.level is Level.BREAKING:
        why = f"its import fails on {_spelled(failing)}, which this project admits"
        return context.line(difference, Verdict.CHANGE, why, todo)
    return context.line(difference, Verdict.SAFE, "imports on every Python of this project")


_JUDGES = {
    **dict.fromkeys(_REQUIREMENTS, _requirement),
    Kind.REQUIRES_PYTHON_CHANGED: _requires_python,
    Kind.IMPORT_FAILS: _import_fails,
    Kind.IMPORT_MADE_MANDATORY: _mandatory,
}


def withdrawn_or_unfit(context: Context) -> Line | None:
    """Return why the new release cannot be installed here, whatever changed; None if it can."""
    row = context.row
    if row.yanked:
        why = "the index has withdrawn it"
        todo = "take another release"
        return Line(Verdict.BLOCKED, "yanked", row.version, (Change(),), why, todo)
    if not _admits(row.requires_python, context.python):
        why = f"this is Python {context.python}, which it does not admit"
        todo = "run a Python that it admits"
        change = Change(new=row.requires_python)
        return Line(Verdict.BLOCKED, "requires-python", row.version, (change,), why, todo)
    return None


def _admits(requires_python: str, python: str) -> bool:
    return SpecifierSet(requires_python).contains(f"{python}.99")


def _declared(context: Context) -> set[str]:
    return set(admitted(context.pythons)) if context.pythons else set()


def _spelled(pythons: set[str]) -> str:
    return ", ".join(sorted(pythons, key=Version))
