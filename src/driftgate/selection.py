"""Selection by name or pattern, as command lines give it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from driftgate.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Sequence


def matching(kind: str, patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the known names that a pattern matches, in their order; no pattern means all.

    Args:
        kind: What is selected, for the error.
        patterns: Names, or patterns of :mod:`fnmatch`.
        known: The names that there are.

    Raises:
        UnknownNameError: A pattern matches nothing.
    """
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise UnknownNameError(kind, pattern, tuple(known))
    return [
        name
        for name in known
        if not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
    ]
