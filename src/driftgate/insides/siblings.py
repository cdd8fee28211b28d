"""Methods of one name that classes with one base define differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.surface.model import Class, Function

if TYPE_CHECKING:
    from driftgate.surface.model import Surface

_OWN_BUSINESS = ("__init__", "__getattr__")


@dataclass(frozen=True)
class Disagreement:
    """One method that a caller cannot call in the same way on each sibling.

    Attributes:
        base: The id of the base class.
        method: Its name.
        spellings: Parameters after ``self`` by class, the base included where it is watched.
    """

    base: str
    method: str
    spellings: dict[str, str]

    @property
    def text(self) -> str:
        """The classes and what each takes, in one line."""
        return "; ".join(f"{name}({params})" for name, params in self.spellings.items())


def disagreements(surface: Surface) -> list[Disagreement]:
    """Return the methods whose parameter names differ between siblings, or from their base."""
    classes = {
        symbol.defined_in: (name.partition(":")[2], symbol.definition)
        for name, symbol in surface.symbols.items()
        if isinstance(symbol.definition, Class)
    }
    families: dict[str, list[str]] = {}
    for place, (_, definition) in classes.items():
        for base in definition.bases:
            # Bases of the package; another's, such as Enum, make no family.
            if base in classes:
                families.setdefault(base, [base]).append(place)
    found = []
    for base, members in families.items():
        family = {classes[place][0]: classes[place][1].members for place in dict.fromkeys(members)}
        for method in dict.fromkeys(name for methods in family.values() for name in methods):
            spellings = {
                name: ", ".join(param.name for param in item.params[1:])
                for name, methods in family.items()
                if isinstance(item := methods.get(method), Function)
                and "staticmethod" not in item.decorators
            }
            if method not in _OWN_BUSINESS and len(set(spellings.values())) > 1:
                found.append(Disagreement(base, method, spellings))
    return found
