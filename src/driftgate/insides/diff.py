"""Compare the insides of two releases."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import Version

from driftgate.insides.conditions import implies, needs_new
from driftgate.insides.requirements import admitted, declared
from driftgate.surface.difference import Difference, Kind, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.insides.conditions import Path
    from driftgate.insides.model import Case, Entry, ImportEffect, Insides, Refusal
    from driftgate.insides.target import InsidesTarget
    from driftgate.surface.releases import ReleaseRow


_WORD = re.compile(r"\w+")
_ONLY_NEW = "only where something new is used"
_UNMET = "only where something new is used, or was refused before"


def diff_insides(
    old: Insides, new: Insides, target: InsidesTarget, row: ReleaseRow, names: frozenset[str]
) -> list[Difference]:
    """Return what differs.

    Args:
        old: The earlier release.
        new: The later release.
        target: Which distribution brings a module, and what each Python can subscript.
        row: What the later release asks of its environment.
        names: Members of classes that the later release alone has. What happens only with one of
            them, or with a new parameter, does not happen to a caller that worked before.
    """
    found = [
        *_imports(old, new, target, row),
        *_generics(old, new, target, row),
        *_calls(old, new, target),
    ]
    for name in new.entries:
        if name in old.entries:
            found += _entries(name, old.entries[name], new.entries[name], names)
    return found


def _imports(
    old: Insides, new: Insides, target: InsidesTarget, row: ReleaseRow
) -> Iterator[Difference]:
    before, after = _certain(old.imports), _certain(new.imports)
    present = declared(row)
    added: dict[str, list[str]] = {}
    for name in sorted(after.keys() - before.keys()):
        added.setdefault(_distribution(name, target), []).append(name)
    for brings, names in added.items():
        at_hand = canonicalize_name(brings) in present
        yield Difference(
            Kind.IMPORT_MADE_MANDATORY,
            Level.ADDITIVE if at_hand else Level.BREAKING,
            target.root,
            new=", ".join(names),
            note=f"from {brings}, which is {'' if at_hand else 'not '}required; "
            f"first in {after[names[0]].module}",
        )
    gone = sorted(before.keys() - after.keys())
    if gone:
        yield Difference(
            Kind.IMPORT_MADE_OPTIONAL, Level.ADDITIVE, target.root, old=", ".join(gone)
        )


def _certain(effects: Iterable[ImportEffect]) -> dict[str, ImportEffect]:
    return {effect.what: effect for effect in effects if not effect.guarded}


def _distribution(module: str, target: InsidesTarget) -> str:
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in target.distributions:
            return target.distributions[name]
    return parts[0]


def _generics(
    old: Insides, new: Insides, target: InsidesTarget, row: ReleaseRow
) -> Iterator[Difference]:
    before, after = _certain(old.generics), _certain(new.generics)
    for name, since in target.generic_since.items():
        if name in after and name not in before:
            failing = [text for text in admitted(row.requires_python) if Version(text) < since]
            yield Difference(
                Kind.IMPORT_FAILS,
                Level.BREAKING if failing else Level.ADDITIVE,
                target.root,
                new=f"{name}[…] is evaluated in {after[name].module}",
                note=f"needs Python {since}; fails on {', '.join(failing)}, which "
                f"requires-python ({row.requires_python}) admits"
                if failing
                else f"needs Python {since}, as requires-python says",
            )
        elif name in before and name not in after:
            yield Difference(
                Kind.IMPORT_MENDED,
                Level.ADDITIVE,
                target.root,
                old=f"{name}[…] is evaluated in {before[name].module}",
                note=f"needed Python {since}",
            )


def _calls(old: Insides, new: Insides, target: InsidesTarget) -> Iterator[Difference]:
    before, after = _certain(old.calls), _certain(new.calls)
    later = {effect.what for effect in new.deferred} - {effect.what for effect in old.deferred}
    for kind, level, effects in (
        (Kind.CALL_AT_IMPORT_ADDED, Level.DANGEROUS, _without(after, before)),
        (Kind.CALL_AT_IMPORT_REMOVED, Level.ADDITIVE, _without(before, after)),
    ):
        plain: dict[str, list[str]] = {}
        for effect in effects:
            if kind is Kind.CALL_AT_IMPORT_REMOVED and effect.what in later:
                text, note = f"{effect.what}()", f"{effect.module} calls it when it is first needed"
                yield Difference(
                    Kind.CALL_DEFERRED, Level.DANGEROUS, target.root, old=text, note=note
                )
            elif any(row.matches(effect.what) for row in target.low_level):
                yield _call(kind, level, target.root, effect.module, f"{effect.what}()")
            else:
                plain.setdefault(effect.module, []).append(f"{_last(effect.what)}()")
        for module, names in plain.items():
            yield _call(kind, Level.COSMETIC, target.root, module, ", ".join(names))


def _without(some: dict[str, ImportEffect], others: dict[str, ImportEffect]) -> list[ImportEffect]:
    return [some[name] for name in sorted(some.keys() - others.keys())]


def _call(kind: Kind, level: Level, root: str, module: str, text: str) -> Difference:
    old, new = (None, text) if kind is Kind.CALL_AT_IMPORT_ADDED else (text, None)
    return Difference(kind, level, root, old=old, new=new, note=f"in {module}")


def _entries(name: str, old: Entry, new: Entry, names: frozenset[str]) -> list[Difference]:
    names |= set(new.params) - set(old.params)
    names |= {
        f"{owner}.{member}"
        for owner, members in new.members.items()
        for member in set(members) - set(old.members.get(owner, members))
    }
    by_case = {
        case: list(_cases(name, old, old.cases[case], after, names))
        for case, after in new.cases.items()
        if case in old.cases
    }
    # What is the same on several branches is one difference.
    merged: dict[Difference, list[str]] = {}
    for case, differences in by_case.items():
        for difference in differences:
            merged.setdefault(difference, []).append(case)
    return [
        Difference(
            item.kind, item.level, item.symbol, _place(cases, item), item.old, item.new, item.note
        )
        for item, cases in merged.items()
    ]


def _place(cases: list[str], item: Difference) -> str:
    where = ", ".join(case for case in cases if case)
    return f"[{where}]{item.where}" if where else item.where


def _cases(
    name: str, entry: Entry, old: Case, new: Case, names: frozenset[str]
) -> Iterator[Difference]:
    if old.refused or new.refused:
        if old.refused and not new.refused:
            yield Difference(Kind.BRANCH_ADDED, Level.ADDITIVE, name, new="can be chosen")
        elif new.refused and not old.refused:
            yield Difference(Kind.BRANCH_REMOVED, Level.BREAKING, name, old="can be chosen")
        return
    for kind, before, after in (
        (Kind.LOW_LEVEL_CHANGED, old.reaches, new.reaches),
        (Kind.PEERS_CHANGED, old.peers, new.peers),
    ):
        gone = [item for item in before if item not in after]
        come = [item for item in after if item not in before]
        kept = [item for item in after if item in before]
        fresh = [item for item in come if names.intersection((*after[item], *_WORD.findall(item)))]
        come = [item for item in come if item not in fresh]
        # Who meets nobody meets no wrong peer; that it reaches nothing any more is told above.
        if (gone or come) and (kind is Kind.LOW_LEVEL_CHANGED or new.reaches):
            note = f"and still {', '.join(kept)}" if kept else ""
            yield Difference(
                kind, Level.DANGEROUS, name, old=_listed(gone), new=_listed(come), note=note
            )
        if fresh:
            yield Difference(kind, Level.ADDITIVE, name, new=_listed(fresh), note=_ONLY_NEW)
    yield from _results(name, old, new, names)
    edited = [key for key, mark in new.bodies.items() if old.bodies.get(key, mark) != mark]
    if edited:
        yield Difference(
            Kind.LOW_LEVEL_EDITED, Level.DANGEROUS, name, new=f"other code in {', '.join(edited)}"
        )
    yield from _ignored(name, entry, old, new, names)
    yield from _handed(name, old, new)
    yield from _choice(name, old, new)
    yield from _refusals(name, old, new, names)


def _results(name: str, old: Case, new: Case, names: frozenset[str]) -> Iterator[Difference]:
    """Yield what a caller gets back otherwise; without a record of either, nothing is known."""
    if not old.results or not new.results:
        return
    gone = [item for item in old.results if item not in new.results]
    come = [item for item in new.results if item not in old.results]
    # The same result, now on conditions that a caller did not have to meet.
    gone += [
        item for item in old.results if set(new.results.get(item, ())) - set(old.results[item])
    ]
    fresh = [item for item in come if names.intersection(new.results[item])]
    if gone or len(fresh) < len(come):
        was, now = _listed(old.results), _listed(new.results)
        yield Difference(Kind.RESULT_CHANGED, Level.BREAKING, name, old=was, new=now)
    elif fresh:
        yield Difference(
            Kind.RESULT_CHANGED, Level.ADDITIVE, name, new=_listed(fresh), note=_ONLY_NEW
        )


def _listed(items: Iterable[str]) -> str:
    return ", ".join(items) or "nothing"


def _handed(name: str, old: Case, new: Case) -> Iterator[Difference]:
    """Yield what a parameter left to None stands for otherwise, and what is handed on otherwise."""
    for param, chosen in new.defaults.items():
        usual = old.defaults.get(param, chosen)
        if usual != chosen:
            yield Difference(
                Kind.DEFAULT_CHANGED,
                Level.SAFE_BY_KEYWORD,
                name,
                f"({param})",
                " or ".join(usual),
                " or ".join(chosen),
                "what None stands for",
            )
    for place, now in new.hands.items():
        was = old.hands.get(place, now)
        if was != now:
            yield Difference(
                Kind.ARGUMENT_CHANGED,
                Level.DANGEROUS,
                name,
                old=f"{place} is {' or '.join(was)}",
                new=f"{place} is {' or '.join(now)}",
            )


def _ignored(
    name: str, entry: Entry, old: Case, new: Case, names: frozenset[str]
) -> Iterator[Difference]:
    where = name.rpartition(":")[2]
    fresh = [param for param in new.ignored if param not in entry.params]
    if fresh:
        yield Difference(
            Kind.PARAM_IGNORED, Level.ADDITIVE, name, new=f"new, and ignored: {', '.join(fresh)}"
        )
    for kind, params, others, words in (
        (Kind.PARAM_IGNORED, new.ignored, old.ignored, ("used or refused", "ignored")),
        (Kind.PARAM_HONOURED, old.ignored, new.ignored, ("ignored", "used or refused")),
    ):
        for param in params:
            if param in entry.params and param not in others:
                paths = new.uses.get(param, ())
                late = bool(paths) and all(_is_unmet(path, where, old, names) for path in paths)
                level, note = (Level.ADDITIVE, _UNMET) if late else (Level.DANGEROUS, "")
                yield Difference(kind, level, name, f"({param})", *words, note)


def _is_unmet(path: Path, where: str, old: Case, names: frozenset[str]) -> bool:
    """Whether no call that worked goes along ``path`` in ``where``: it was refused there, too."""
    return needs_new(path, names) or any(
        item.where == where and implies(path, item.path) for item in old.refusals
    )


def _choice(name: str, old: Case, new: Case) -> Iterator[Difference]:
    if old.asks == new.asks:
        return
    before = {_last(item): mark for item, mark in old.asks.items()}
    after = {_last(item): mark for item, mark in new.asks.items()}
    differ = [item for item in after if item in before and before[item] != after[item]]
    if before != after:
        yield Difference(
            Kind.CHOICE_CHANGED,
            Level.DANGEROUS,
            name,
            "",
            f"asks {_listed(before)}",
            f"asks {_listed(after)}",
            f"other body: {', '.join(differ)}" if differ else "",
        )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _refusals(name: str, old: Case, new: Case, names: frozenset[str]) -> Iterator[Difference]:
    before, after = _by_text(old.refusals), _by_text(new.refusals)
    gone = [key for key in before if key not in after]
    for key in after:
        if key in before:
            continue
        where, _, raises = key
        # A refusal at the same place with the same exception is that one, spelled otherwise.
        was = next((item for item in gone if (item[0], item[2]) == (where, raises)), None)
        note = _excuse(after[key], old, names)
        level = Level.ADDITIVE if note else Level.DANGEROUS
        if was is not None:
            gone.remove(was)
            yield Difference(
                Kind.REFUSAL_CHANGED, level, name, "", _spelled(was), _spelled(key), note
            )
        else:
            yield Difference(Kind.REFUSAL_ADDED, level, name, new=_spelled(key), note=note)
    for key in gone:
        yield Difference(Kind.REFUSAL_REMOVED, Level.ADDITIVE, name, old=_spelled(key))


def _excuse(refusals: list[Refusal], old: Case, names: frozenset[str]) -> str:
    """Return why a caller that worked before does not meet ``refusals``; empty if it may."""
    if all(_asks_for_new(item, names) for item in refusals):
        return _ONLY_NEW
    before = {*old.beneath, *(item.text for item in old.refusals)}
    if all(
        any(f"{item.raises} if {part}" in before for part in _conjuncts(item.test))
        for item in refusals
    ):
        return "was refused elsewhere before"
    if all(_is_unmet(item.path, item.where, old, names) for item in refusals):
        return _UNMET
    return ""


def _asks_for_new(item: Refusal, names: frozenset[str]) -> bool:
    """Whether who gives no new parameter, and uses no new member, does not meet ``item``."""
    hangs_on = {*item.options, *item.hinges}
    return bool(names.intersection(hangs_on)) or needs_new(item.path, names)


def _conjuncts(test: str) -> list[str]:
    """Return the conditions that must all hold for ``test`` to hold."""
    node = ast.parse(test or "True", mode="eval").body
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    return [ast.unparse(part) for part in parts]


def _by_text(refusals: Iterable[Refusal]) -> dict[tuple[str, str, str], list[Refusal]]:
    found: dict[tuple[str, str, str], list[Refusal]] = {}
    for item in refusals:
        found.setdefault((item.where, item.test, item.raises), []).append(item)
    return found


def _spelled(key: tuple[str, str, str]) -> str:
    where, test, raises = key
    return f"{raises} in {where}" + (f" if {test}" if test else "")
