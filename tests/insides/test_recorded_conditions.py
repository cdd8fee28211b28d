"""What recorded releases refuse, against what they hold: who worked before meets none of it."""

from __future__ import annotations

from pathlib import Path

from driftgate.insides.changes import changes
from driftgate.paths import find_project
from driftgate.surface.difference import Difference, Kind, Level

PROJECT = find_project(Path(__file__))
REFUSALS = {Kind.REFUSAL_ADDED, Kind.REFUSAL_CHANGED}


def on_fusion(old: str, new: str, branch: str, kinds: set[Kind]) -> list[Difference]:
    return [
        item
        for item in changes(PROJECT, old, new)
        if item.symbol.endswith(":allreduce_fusion") and branch in item.where and item.kind in kinds
    ]


def test_a_backend_that_takes_more_refuses_nothing_that_it_took() -> None:
    """MNNVL takes the four quantising patterns from 0.6.13 on, which it refused before."""
    found = on_fusion("0.6.12", "0.6.13", "MNNVL", REFUSALS)

    # The pattern, the layout of scales, and the branch that nothing comes to.
    assert len(found) == 3
    assert {item.level for item in found} == {Level.ADDITIVE}


def test_what_only_those_patterns_take_counts_for_nobody_who_worked() -> None:
    """Their outputs and scales were ignored for want of a pattern; a strategy counts for all."""
    found = on_fusion("0.6.12", "0.6.13", "MNNVL", {Kind.PARAM_HONOURED})
    levels = {item.where.partition("]")[2].strip("()"): item.level for item in found}

    assert levels == {
        "quant_out": Level.ADDITIVE,
        "scale_out": Level.ADDITIVE,
        "scale_factor": Level.ADDITIVE,
        "use_oneshot": Level.DANGEROUS,
    }


def test_checks_of_new_patterns_are_met_with_them_alone() -> None:
    """0.6.15 checks what dynamic FP8 is given; beside that, handles that were detached."""
    found = on_fusion("0.6.14", "0.6.15", "", REFUSALS)
    met = [item.new for item in found if item.level is Level.DANGEROUS]

    assert len(found) > 8
    assert len(met) == 1
    assert "handle.mapped" in str(met[0])
