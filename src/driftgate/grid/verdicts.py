"""What was found for one consumer's content on one upstream, and where it is kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.digests import digest_of
from driftgate.findings import Finding, State
from driftgate.kept import KeptFolder
from driftgate.traces import pair_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.findings import ContractResult
    from driftgate.upstreams import Upstream

_PACKAGE = Path(__file__).parent.parent
# What turns traces into verdicts.
_JUDGING = (_PACKAGE / "contracts", _PACKAGE / "compat.py", Path(__file__))


@dataclass(frozen=True)
class Broken:
    """A contract that is broken in one environment.

    Attributes:
        contract: The contract's id.
        environment: The environment's id.
        finding: The first breach of that symbol in that file.
    """

    contract: str
    environment: str
    finding: Finding


@dataclass(frozen=True)
class PairVerdicts:
    """Everything found for one consumer on one upstream.

    Attributes:
        judged: Environments that each contract was judged in.
        broken: Where it was found broken.
        activity: By environment, ``active`` or ``degraded(reason)``.
        errors: By environment, how the cell died.
    """

    judged: dict[str, list[str]]
    broken: tuple[Broken, ...]
    activity: dict[str, str]
    errors: dict[str, str]

    @classmethod
    def of(cls, results: Iterable[ContractResult]) -> PairVerdicts:
        """Gather the verdicts of all cells."""
        judged: dict[str, list[str]] = {}
        broken: list[Broken] = []
        activity: dict[str, str] = {}
        errors: dict[str, str] = {}
        for result in results:
            environment = result.cell.environment
            if result.state is State.ERROR:
                errors[environment] = result.reason
                continue
            activity[environment] = result.activity
            if result.state in {State.PASS, State.FAIL}:
                judged.setdefault(result.contract, []).append(environment)
            # Of those that are one finding elsewhere too, the first.
            kinds = {(each.symbol, each.file): each for each in reversed(result.findings)}
            broken += (
                Broken(result.contract, environment, each) for each in reversed(kinds.values())
            )
        return cls(judged, tuple(broken), activity, errors)

    def works_on(self, environment: str, contracts: frozenset[str]) -> bool:
        """Whether fusion ran in ``environment`` and kept these contracts there."""
        return self.activity.get(environment) == "active" and not any(
            each.environment == environment and each.contract in contracts for each in self.broken
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PairVerdicts:
        """Rebuild them from :meth:`as_dict`."""
        broken = (
            Broken(each["contract"], each["environment"], Finding(**each["finding"]))
            for each in data["broken"]
        )
        return cls(data["judged"], tuple(broken), data["activity"], data["errors"])


class VerdictStore(KeptFolder[PairVerdicts]):
    """A folder of verdicts, one file a pair.

    Args:
        folder: Where they lie; made when the first is kept.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, PairVerdicts)


def verdict_key(consumer: Consumer, upstream: Upstream, environments: Iterable[Environment]) -> str:
    """Return what a pair's verdicts depend on, as one hash."""
    parts = (
        pair_key(consumer, upstream),
        json.dumps(dict(upstream.degraded), sort_keys=True),
        json.dumps([asdict(each) for each in environments], sort_keys=True),
        digest_of(_JUDGING),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
