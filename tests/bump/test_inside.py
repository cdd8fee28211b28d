"""What a difference in a release's insides asks of a consumer."""

from __future__ import annotations

import pytest

from bump.rig import context, judge_with
from driftgate.bump.model import Verdict
from driftgate.bump.uses import How, Use, Uses
from driftgate.surface.difference import Difference, Kind, Level

CALL = Use("pkg:make", "", "engine.py:3", How.CALL, sent=frozenset({"group"}))


def verdict(kind: Kind, level: Level, where: str = "", *uses: Use) -> Verdict:
    """The verdict on one difference in ``pkg:make``."""
    around = context(uses=Uses(uses or (CALL,)))
    [line] = judge_with([Difference(kind, level, "pkg:make", where, "a", "b")], around).lines
    return line.verdict


@pytest.mark.parametrize(
    "kind",
    [
        Kind.LOW_LEVEL_CHANGED,
        Kind.LOW_LEVEL_EDITED,
        Kind.PEERS_CHANGED,
        Kind.CHOICE_CHANGED,
        Kind.ARGUMENT_CHANGED,
        Kind.BODY_EDITED,
        Kind.REFUSAL_CHANGED,
    ],
)
def test_only_a_device_can_tell(kind: Kind) -> None:
    """Where the same call does something else, no CPU shows whether that works."""
    assert verdict(kind, Level.DANGEROUS, "[trtllm]") is Verdict.GPU


def test_only_with_something_new() -> None:
    """What a caller that worked before cannot meet asks for nothing."""
    assert verdict(Kind.REFUSAL_ADDED, Level.ADDITIVE) is Verdict.SAFE


def test_ignored_and_sent() -> None:
    """A parameter that lost its effect matters to who sends it."""
    assert verdict(Kind.PARAM_IGNORED, Level.DANGEROUS, "[trtllm](group)") is Verdict.GPU


def test_ignored_and_not_sent() -> None:
    """And to nobody else."""
    assert verdict(Kind.PARAM_IGNORED, Level.DANGEROUS, "[trtllm](other)") is Verdict.SAFE


def test_call_that_cannot_be_followed_may_send_it() -> None:
    """Arguments behind ``**options`` could be any."""
    use = Use("pkg:make", "", "engine.py:3", How.CALL, open=True)

    assert verdict(Kind.PARAM_IGNORED, Level.DANGEROUS, "(other)", use) is Verdict.GPU


def test_branch_that_is_gone() -> None:
    """A backend that can no longer be chosen is a change for who chose it."""
    assert verdict(Kind.BRANCH_REMOVED, Level.BREAKING, "[mnnvl]") is Verdict.CHANGE


def test_other_number_of_results() -> None:
    """Whoever unpacks what a call returned has to unpack it otherwise."""
    assert verdict(Kind.RESULT_CHANGED, Level.BREAKING) is Verdict.CHANGE


def test_other_number_of_results_on_request() -> None:
    """Unless it was asked for by something new."""
    assert verdict(Kind.RESULT_CHANGED, Level.ADDITIVE) is Verdict.SAFE


def test_method_that_the_release_calls_itself() -> None:
    """A communicator is made by the consumer, and its methods are called by the release."""
    made = Use("pkg:Communicator", "", "engine.py:2", How.CALL)
    edited = Difference(Kind.BODY_EDITED, Level.DANGEROUS, "pkg:Communicator", "bcast", None, "b")

    [line] = judge_with([edited], context(uses=Uses((made,)))).lines

    assert (line.verdict, line.sites) == (Verdict.GPU, ("engine.py:2",))
