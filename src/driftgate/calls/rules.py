"""What the data says of binding, beyond the surfaces: ``calls.toml`` and the target file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.surface.target import load_target
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Matters:
    """A parameter that must be sent wherever it is taken.

    Attributes:
        symbol: Dotted path of the callable.
        parameter: The parameter.
        why: What happens where it is left out.
    """

    symbol: str
    parameter: str
    why: str


@dataclass(frozen=True)
class CallRules:
    """How calls are found and bound.

    Attributes:
        module: The upstream module whose calls are looked for, with all below it.
        returns: Ids of the classes that a call can return, by the path of what is called.
        distinctive: Names that mean an upstream callable whatever they are called on, with the
            path of each.
        matters: Parameters that must be sent.
        narrowed: The watched members of classes that are not watched whole, by class id.
    """

    module: str
    returns: dict[str, tuple[str, ...]]
    distinctive: dict[str, str]
    matters: tuple[Matters, ...]
    narrowed: dict[str, frozenset[str]]


def load_rules(matrix: Path) -> CallRules:
    """Read the rules below the ``matrix`` folder.

    Raises:
        InvalidDataError: A file is damaged, or names a class that is not watched.
    """
    path = matrix / "calls.toml"
    document = read_toml(path)
    target = load_target(matrix / "target.toml")
    try:
        returns = {call: tuple(ids) for call, ids in document["returns"].items()}
        methods = {name: f"{owner}.{name}" for name, owner in document["methods"].items()}
        matters = tuple(
            Matters(row["symbol"], row["parameter"], row["why"]) for row in document["matters"]
        )
        module = document["module"]
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidDataError(path, f"lacks {error}", "see the rows beside it") from error
    watched = {row.id for row in target.watched}
    for ids in returns.values():
        for missing in sorted(set(ids) - watched):
            raise InvalidDataError(path, f"{missing} is not watched", "add it to target.toml")
    functions = {
        row.name: f"{row.module}.{row.name}" for row in target.watched if _is_function(row.name)
    }
    return CallRules(
        module=module,
        returns=returns,
        distinctive={**functions, **methods},
        matters=matters,
        narrowed={row.id: frozenset(row.members) for row in target.watched if row.members},
    )


def _is_function(name: str) -> bool:
    """Whether ``name`` is spelled as functions are, and long enough to mean only one thing."""
    return name.islower() and not name.startswith("_") and "_" in name
