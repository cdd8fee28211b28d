"""The contract suite: our fusion module against every stub, an item an upstream and a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.findings import State

if TYPE_CHECKING:
    from .conftest import Results


def test_contract(results: Results, upstream: str, contract: str) -> None:
    """The contract is kept in every cell of this upstream, or known to be broken."""
    verdicts = results[upstream, contract]
    broken = [
        f"{verdict.cell.environment}: {verdict.state.value} {verdict.reason} {verdict.findings}"
        for verdict in verdicts
        if verdict.state in {State.FAIL, State.ERROR, State.XPASS}
    ]

    assert broken == []
    if all(verdict.state is State.NOT_RUN for verdict in verdicts):
        pytest.skip(verdicts[0].reason)
