"""Compare the parameters of one function in two releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.model import Param, ParamKind

if TYPE_CHECKING:
    from collections.abc import Iterator

_POSITIONAL = (ParamKind.POSITIONAL_ONLY, ParamKind.POSITIONAL_OR_KEYWORD)
_STARRED = (ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD)


def compare_params(
    symbol: str, where: str, old: tuple[Param, ...], new: tuple[Param, ...]
) -> Iterator[Difference]:
    """Yield what differs; a new parameter's place decides what it does to callers."""
    before = {param.name: param for param in old}
    after = {param.name: param for param in new}
    for param in old:
        if param.name not in after:
            place = f"{where}({param.name})"
            yield Difference(Kind.PARAM_REMOVED, Level.BREAKING, symbol, place, spell(param))
    for index, param in enumerate(new):
        place = f"{where}({param.name})"
        if param.name in before:
            yield from _both(symbol, place, before[param.name], param)
        else:
            yield _added(symbol, place, index, new, before)
    kept = [[p.name for p in side if p.name in before and p.name in after] for side in (old, new)]
    if kept[0] != kept[1]:
        yield Difference(
            Kind.PARAMS_REORDERED,
            Level.SAFE_BY_KEYWORD,
            symbol,
            where,
            ", ".join(kept[0]),
            ", ".join(kept[1]),
        )


def _added(
    symbol: str, place: str, index: int, new: tuple[Param, ...], before: dict[str, Param]
) -> Difference:
    param = new[index]
    text = spell(param)
    position = f"position {index + 1}"
    if param.default is None and param.kind not in _STARRED:
        kind, level, note = Kind.PARAM_REQUIRED_ADDED, Level.BREAKING, position
    elif param.kind is ParamKind.KEYWORD_ONLY:
        kind, level, note = Kind.PARAM_KEYWORD_ADDED, Level.ADDITIVE, ""
    else:
        pushed = [p.name for p in new[index + 1 :] if p.name in before and p.kind in _POSITIONAL]
        if pushed:
            kind, level = Kind.PARAM_INSERTED, Level.SAFE_BY_KEYWORD
            note = f"{position}, before {pushed[0]}"
        else:
            kind, level, note = Kind.PARAM_APPENDED, Level.ADDITIVE, position
    return Difference(kind, level, symbol, place, new=text, note=note)


def _both(symbol: str, place: str, old: Param, new: Param) -> Iterator[Difference]:
    if old.kind is not new.kind:
        yield Difference(
            Kind.PARAM_KIND_CHANGED,
            _kind_level(old.kind, new.kind),
            symbol,
            place,
            old.kind.value,
            new.kind.value,
        )
    if old.default != new.default:
        if old.default is None:
            kind, level = Kind.DEFAULT_ADDED, Level.ADDITIVE
        elif new.default is None:
            kind, level = Kind.DEFAULT_REMOVED, Level.BREAKING
        else:
            kind, level = Kind.DEFAULT_CHANGED, Level.SAFE_BY_KEYWORD
        yield Difference(kind, level, symbol, place, old.default, new.default)
    if old.annotation != new.annotation:
        yield Difference(
            Kind.ANNOTATION_CHANGED, Level.COSMETIC, symbol, place, old.annotation, new.annotation
        )


def _kind_level(old: ParamKind, new: ParamKind) -> Level:
    if new is ParamKind.POSITIONAL_OR_KEYWORD:
        return Level.ADDITIVE
    if old is ParamKind.POSITIONAL_OR_KEYWORD and new is ParamKind.KEYWORD_ONLY:
        return Level.SAFE_BY_KEYWORD
    return Level.BREAKING


def spell(param: Param) -> str:
    """Return a parameter as source text."""
    stars = {ParamKind.VAR_POSITIONAL: "*", ParamKind.VAR_KEYWORD: "**"}.get(param.kind, "")
    annotation = f": {param.annotation}" if param.annotation else ""
    default = f" = {param.default}" if param.default is not None else ""
    return f"{stars}{param.name}{annotation}{default}"
