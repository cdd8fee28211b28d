"""Surfaces as plain JSON containers, and back; what a field defaults to is left out."""

from __future__ import annotations

from typing import Any

from driftgate.surface.model import (
    Class,
    Constant,
    Definition,
    Function,
    Guard,
    Module,
    Param,
    ParamKind,
    Surface,
    Symbol,
)

Json = Any


def surface_to_json(surface: Surface) -> Json:
    """Return ``surface`` as containers whose order is the order of the values."""
    return {
        "release": surface.release,
        "symbols": {name: _symbol(symbol) for name, symbol in surface.symbols.items()},
    }


def surface_from_json(data: Json) -> Surface:
    """Rebuild a surface.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: ``data`` is not a surface.
    """
    symbols = {name: _read_symbol(name, row) for name, row in data["symbols"].items()}
    return Surface(data["release"], symbols)


def _drop_empty(row: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in row.items() if value not in (None, "", [], {}, False)}


def _symbol(symbol: Symbol) -> Json:
    if symbol.definition is None:
        return None
    return _drop_empty(
        {
            "defined_in": symbol.defined_in,
            "guard": "" if symbol.guard is Guard.NONE else symbol.guard.value,
            "lazy_annotations": symbol.lazy_annotations,
            **definition_to_json(symbol.definition),
            "names": symbol.names,
        }
    )


def _read_symbol(name: str, row: Json) -> Symbol:
    if row is None:
        return Symbol(name)
    return Symbol(
        id=name,
        definition=_read_definition(row),
        defined_in=row["defined_in"],
        guard=Guard(row.get("guard", Guard.NONE)),
        lazy_annotations=row.get("lazy_annotations", False),
        names=row.get("names", {}),
    )


def definition_to_json(definition: Definition) -> dict[str, Json]:
    """Return one definition as containers; ``kind`` says which it is."""
    row: dict[str, Json]
    if isinstance(definition, Function):
        row = {
            "kind": "function",
            "decorators": list(definition.decorators),
            "params": [_param(param) for param in definition.params],
            "returns": definition.returns,
        }
    elif isinstance(definition, Class):
        row = {
            "kind": "class",
            "decorators": list(definition.decorators),
            "bases": list(definition.bases),
            "members": {
                name: _drop_empty(definition_to_json(member))
                for name, member in definition.members.items()
            },
        }
    elif isinstance(definition, Constant):
        row = {
            "kind": "constant",
            "value": definition.value,
            "annotation": definition.annotation,
        }
    else:
        row = {"kind": "module"}
    return row


def _read_definition(row: Json) -> Definition:
    kind = row["kind"]
    if kind == "class":
        members = {name: _read_member(member) for name, member in row.get("members", {}).items()}
        return Class(tuple(row.get("bases", ())), tuple(row.get("decorators", ())), members)
    if kind == "module":
        return Module()
    return _read_member(row)


def _read_member(row: Json) -> Function | Constant:
    if row["kind"] == "constant":
        return Constant(row.get("value"), row.get("annotation"))
    if row["kind"] != "function":
        raise ValueError(row["kind"])
    params = tuple(
        Param(
            param["name"],
            ParamKind(param.get("kind", ParamKind.POSITIONAL_OR_KEYWORD)),
            param.get("default"),
            param.get("annotation"),
        )
        for param in row.get("params", ())
    )
    return Function(params, row.get("returns"), tuple(row.get("decorators", ())))


def _param(param: Param) -> dict[str, Json]:
    ordinary = param.kind is ParamKind.POSITIONAL_OR_KEYWORD
    return _drop_empty(
        {
            "name": param.name,
            "kind": None if ordinary else param.kind.value,
            "default": param.default,
            "annotation": param.annotation,
        }
    )
