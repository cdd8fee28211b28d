"""The rows of ``matrix/expectations.toml``: findings that are known, why, and until when."""

from __future__ import annotations

import datetime as dt
import platform
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from driftgate.errors import InvalidDataError
from driftgate.toml import check, only_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driftgate.cells import Cell
    from driftgate.upstreams import Upstream

_REQUIRED = ("contract", "consumer", "reason", "link", "expires")
_PLACES = ("upstream", "releases")
_RANGES = {"releases", "python"}
_TEXTS = ("contract", "consumer", "reason", "link", "environment", *_PLACES, "python")
_KINDS = {**dict.fromkeys(_TEXTS, str), "expires": dt.date}


@dataclass(frozen=True)
class Expectation:
    """One known finding.

    Attributes:
        contract: The contract's id.
        consumer: Pattern of the consumer's name.
        reason: Why it is broken, in a sentence.
        link: Where that is discussed.
        expires: The last day on which it is expected.
        upstream: Pattern of the upstream's name; empty where ``releases`` says it.
        releases: The releases it is known for; a historic stub matches by those it stands for.
        environment: Pattern of the environment's id.
        python: The interpreters that it is known for; None for all.
    """

    contract: str
    consumer: str
    reason: str
    link: str
    expires: dt.date
    upstream: str = ""
    releases: SpecifierSet | None = None
    environment: str = "*"
    python: SpecifierSet | None = None

    @property
    def is_for_this_python(self) -> bool:
        """Whether it is known for the interpreter that runs this."""
        return self.python is None or self.python.contains(platform.python_version())

    def covers(self, contract: str, cell: Cell, upstream: Upstream) -> bool:
        """Whether a finding of ``contract`` in ``cell`` is this known one."""
        if self.releases is None:
            here = fnmatchcase(upstream.name, self.upstream)
        else:
            here = any(self.releases.contains(each) for each in upstream.stands_for)
        return (
            here
            and contract == self.contract
            and fnmatchcase(cell.consumer, self.consumer)
            and fnmatchcase(cell.environment, self.environment)
        )

    def has_expired(self, today: dt.date) -> bool:
        """Whether its last day is over."""
        return today > self.expires

    def __str__(self) -> str:
        place = self.upstream or f"releases {self.releases}"
        return f"{self.contract} x {self.consumer} x {place} x {self.environment}"


def read_expectations(path: Path, contracts: Iterable[str]) -> tuple[Expectation, ...]:
    """Return the rows, in the file's order.

    Raises:
        InvalidDataError: A row lacks a key, has an unknown one or a value that cannot be, or names
            no contract.
    """
    known = set(contracts)
    return tuple(_expectation(path, row, known) for row in only_rows(path, "expect"))


def _expectation(path: Path, row: dict[str, Any], contracts: set[str]) -> Expectation:
    name = row.get("contract", "?")
    check(path, f"the row for {name!r}", row, _KINDS, _REQUIRED)
    if name not in contracts:
        raise InvalidDataError(path, f"no contract is named {name!r}", "mend or drop the row")
    if sum(key in row for key in _PLACES) != 1:
        raise InvalidDataError(
            path, f"the row for {name!r} needs upstream or releases, not both", "give one of them"
        )
    values = dict(row)
    for key in _RANGES & row.keys():
        values[key] = _range(path, name, row[key])
    return Expectation(**values)


def _range(path: Path, name: str, text: str) -> SpecifierSet:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier as error:
        problem = f"the row for {name!r}: {text!r} is no range"
        raise InvalidDataError(path, problem, "write >=1,<2") from error
