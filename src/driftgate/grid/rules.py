"""``matrix/grid.toml``: what the grid looks at, and what it calls working."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE = "grid.toml"


@dataclass(frozen=True)
class GridRules:
    """What the grid looks at.

    Attributes:
        releases: The FlashInfer releases that are meant by "releases".
        consumers: By project, the releases that are meant by its name.
        environments: What is pretended on every release, by id.
        on_pinned: What is pretended on the release that a consumer pins alone.
        works: Contracts that a consumer keeps where it works.
        machines: Heading by environment: where it is told whether a consumer works.
    """

    releases: SpecifierSet
    consumers: Mapping[str, SpecifierSet]
    environments: frozenset[str]
    on_pinned: frozenset[str]
    works: frozenset[str]
    machines: Mapping[str, str]


def load_grid_rules(matrix: Path) -> GridRules:
    """Read the rules below the ``matrix`` folder.

    Raises:
        InvalidDataError: The file is damaged.
    """
    path = matrix / _FILE
    document = read_toml(path)
    try:
        return GridRules(
            releases=SpecifierSet(document["releases"]),
            consumers={name: SpecifierSet(text) for name, text in document["consumers"].items()},
            environments=frozenset(document["environments"]),
            on_pinned=frozenset(document["on_pinned"]),
            works=frozenset(document["works"]["contracts"]),
            machines=document["works"]["machines"],
        )
    except (KeyError, TypeError, AttributeError, InvalidSpecifier) as error:
        raise InvalidDataError(
            path, f"lacks or mangles {error}", "see the comments in it"
        ) from error
