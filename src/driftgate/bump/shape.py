"""What a difference between two surfaces asks of the consumer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from driftgate.bump.context import Context, Place, label_of, place_of
from driftgate.bump.model import Line, Verdict
from driftgate.bump.uses import How, Use
from driftgate.calls.binding import Verdict as Fate
from driftgate.surface.difference import Difference, Kind, Level

if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[Difference, Place, list[Use], Context], Line]

_POSITION = re.compile(r"position (\d+)")
_AT_RUN_TIME = "called by what it is looked up with: only a run shows how"


def judge_shape(difference: Difference, context: Context) -> Line | None:
    """Return the line of a difference in the surface; None for others, and what is not used."""
    if difference.kind not in _JUDGES:
        return None
    place = place_of(difference)
    uses = context.uses.of(difference.symbol, place.member)
    return _JUDGES[difference.kind](difference, place, uses, context) if uses else None


def _calls(uses: list[Use]) -> list[Use]:
    return [use for use in uses if use.how is How.CALL]


def _sites(uses: list[Use]) -> list[str]:
    return [use.site for use in uses]


def _cosmetic(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    del place, uses
    return context.line(difference, Verdict.SAFE, "callers see no difference")


def _symbol_moved(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    del place, uses
    return context.line(difference, Verdict.SAFE, "re-exported: the name in use still reaches it")


def _guarded(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A symbol that may be missing from an installation, or no longer may."""
    del place
    firm = [use for use in uses if use.how is not How.NAME and not use.probed]
    if difference.level is not Level.DANGEROUS or not firm:
        return context.line(difference, Verdict.SAFE, "the consumer finds it, or asks for it first")
    why = "it is there only where an import succeeds, or a condition holds"
    todo = "install the release as you serve it, and see that it is there"
    return context.line(difference, Verdict.GPU, why, todo, _sites(firm))


def _added(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A parameter that nobody has to send, or a symbol."""
    del uses
    problems = context.problems_of(difference, {Fate.UNSENT}, place.parameter)
    if problems and place.parameter:
        return context.change_at(difference, problems)
    return context.line(difference, Verdict.SAFE, "new, and nobody has to use it")


def _order(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """Parameters that stand elsewhere than they did."""
    problems = [
        *context.problems_of(difference, {Fate.UNSENT}, place.parameter or "-"),
        *context.problems_of(difference, {Fate.SHIFTED}),
    ]
    if problems:
        return context.change_at(difference, problems)
    calls = _calls(uses)
    found = _POSITION.match(difference.note)
    first = int(found[1]) if found else 1
    past = [use for use in calls if use.positional >= first]
    if past:
        why = "given by position, and another parameter is there now"
        todo = "give every argument by name"
        return context.line(difference, Verdict.CHANGE, why, todo, _sites(past))
    if not calls:
        return context.line(difference, Verdict.SAFE, _AT_RUN_TIME)
    why = "no call gives an argument by position from there on"
    return context.line(difference, Verdict.SAFE_BY_KEYWORD, why, sites=_sites(calls))


def _kind(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A parameter that is given in another way than it was."""
    fates = {Fate.REJECTS, Fate.LACKS}
    problems = context.problems_of(difference, fates)
    if problems:
        return context.change_at(difference, problems)
    if difference.level is Level.ADDITIVE:
        return context.line(difference, Verdict.SAFE, "can be given in more ways than before")
    sent = [use for use in _calls(uses) if place.parameter in use.sent]
    if sent:
        why = "every call that gives it does so by name"
        return context.line(difference, Verdict.SAFE_BY_KEYWORD, why, sites=_sites(sent))
    return context.line(difference, Verdict.SAFE, "no call gives it")


def _default(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A default that became another."""
    if difference.level in (Level.ADDITIVE, Level.COSMETIC):
        return context.line(difference, Verdict.SAFE, "means the same as before")
    calls = _calls(uses)
    silent = [use for use in calls if place.parameter not in use.always and not use.positional]
    if silent:
        why = "left out, it now means something else"
        todo = f"send {place.parameter}={difference.old} to keep what was, or run what is"
        return context.line(difference, Verdict.GPU, why, todo, _sites(silent))
    if not calls:
        return context.line(difference, Verdict.SAFE, _AT_RUN_TIME)
    why = "every call sends it"
    return context.line(difference, Verdict.SAFE_BY_KEYWORD, why, sites=_sites(calls))


def _must(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A parameter that has to be sent, or must not be any more."""
    del uses
    fates = {Fate.REJECTS, Fate.LACKS}
    problems = context.problems_of(difference, fates, place.parameter)
    if problems:
        return context.change_at(difference, problems)
    what = "no call sends it" if difference.kind is Kind.PARAM_REMOVED else "every call sends it"
    return context.line(difference, Verdict.SAFE, f"{what}, or it is sent only where it is taken")


def _gone(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A symbol or a member that is not there any more."""
    problems = context.problems_of(difference, {Fate.MISSING})
    if problems:
        return context.change_at(difference, problems)
    firm = [use for use in uses if use.how is not How.NAME and not use.probed]
    if place.member and firm:
        todo = "look it up with getattr, and go without where it is gone"
        return context.line(difference, Verdict.CHANGE, "used, and gone", todo, _sites(firm))
    return context.line(difference, Verdict.SAFE, "the consumer asks for it first")


def _member_added(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    if difference.level is not Level.BREAKING:
        return context.line(difference, Verdict.SAFE, "new, and nobody has to use it")
    without = [use for use in uses if use.how is How.SUBCLASS and place.member not in use.defines]
    if not without:
        return context.line(difference, Verdict.SAFE, "every subclass defines it, or there is none")
    name = difference.symbol.rpartition(":")[2]
    todo = f"define {place.member} in the subclass of {name}"
    why = "abstract: a subclass without it cannot be instantiated"
    return context.line(difference, Verdict.CHANGE, why, todo, _sites(without))


def _value(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    del place
    why = "read by its name, so the new value comes with it"
    return context.line(difference, Verdict.SAFE, why, sites=_sites(uses))


def _other_thing(difference: Difference, place: Place, uses: list[Use], context: Context) -> Line:
    """A symbol of another kind, with other bases, or called in another way."""
    del place
    if difference.level is not Level.BREAKING:
        return context.line(difference, Verdict.SAFE, "callers see no difference")
    why = f"{label_of(difference)} is no longer what it was"
    todo = "read the new definition, and write the use anew"
    return context.line(difference, Verdict.CHANGE, why, todo, _sites(uses))


_JUDGES: dict[Kind, Judge] = {
    Kind.SYMBOL_ADDED: _added,
    Kind.SYMBOL_REMOVED: _gone,
    Kind.SYMBOL_MOVED: _symbol_moved,
    Kind.SYMBOL_RETYPED: _other_thing,
    Kind.GUARD_CHANGED: _guarded,
    Kind.ANNOTATIONS_POSTPONED: _cosmetic,
    Kind.PARAM_INSERTED: _order,
    Kind.PARAM_APPENDED: _added,
    Kind.PARAM_KEYWORD_ADDED: _added,
    Kind.PARAM_REQUIRED_ADDED: _must,
    Kind.PARAM_REMOVED: _must,
    Kind.PARAMS_REORDERED: _order,
    Kind.PARAM_KIND_CHANGED: _kind,
    Kind.DEFAULT_CHANGED: _default,
    Kind.DEFAULT_ADDED: _added,
    Kind.DEFAULT_REMOVED: _must,
    Kind.ANNOTATION_CHANGED: _cosmetic,
    Kind.RETURN_CHANGED: _cosmetic,
    Kind.DECORATORS_CHANGED: _other_thing,
    Kind.BASES_CHANGED: _other_thing,
    Kind.MEMBER_ADDED: _member_added,
    Kind.MEMBER_REMOVED: _gone,
    Kind.VALUE_CHANGED: _value,
}
