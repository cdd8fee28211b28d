"""What a difference in a release's insides asks of the consumer."""

from __future__ import annotations

from driftgate.bump.context import Context, place_of
from driftgate.bump.model import Line, Verdict
from driftgate.bump.uses import How, Use
from driftgate.surface.difference import Difference, Kind, Level

# Why nothing but a device can tell, and what to run there.
_DEVICE = {
    Kind.LOW_LEVEL_CHANGED: (
        "memory comes from elsewhere: handles, multicast and graph capture are the device's",
        "create, capture, replay and destroy a workspace on each GPU you serve on",
    ),
    Kind.LOW_LEVEL_EDITED: (
        "what allocates was written anew under the same name",
        "create, capture, replay and destroy a workspace on each GPU you serve on",
    ),
    Kind.PEERS_CHANGED: (
        "a workspace meets its peers over another group: a wrong one hangs, or sums wrong peers",
        "run two ranks or more, in a strict subgroup of WORLD too",
    ),
    Kind.CHOICE_CHANGED: (
        "an automatic choice is made by other means",
        "compare the chosen backend on each GPU and node count you serve on",
    ),
    Kind.ARGUMENT_CHANGED: (
        "the same call hands something else to the kernel",
        "compare outputs and timing with the old release on the GPU",
    ),
    Kind.BODY_EDITED: (
        "other code under the same signature: what it computes, answers or does may differ",
        "compare its answers with the old release's, and outputs and memory on the GPU",
    ),
    Kind.REFUSAL_ADDED: (
        "raises where it did not",
        "run the shapes that you serve, and see that none is refused",
    ),
    Kind.REFUSAL_CHANGED: (
        "raises on another condition than before",
        "run the shapes that you serve, and see that none is refused",
    ),
    Kind.PARAM_IGNORED: (
        "sent, accepted, and without effect now",
        "see whether you rely on it; compare outputs and timing on the GPU",
    ),
    Kind.PARAM_HONOURED: (
        "sent, and without effect until now",
        "compare outputs and timing with the old release on the GPU",
    ),
}
_SAFE = {
    Kind.BRANCH_ADDED: "new, and nobody has to use it",
    Kind.LOW_LEVEL_CHANGED: "only where something new is used",
    Kind.LOW_LEVEL_EDITED: "only where something new is used",
    Kind.PEERS_CHANGED: "only where something new is used",
    Kind.REFUSAL_ADDED: "a caller that worked does not meet it",
    Kind.REFUSAL_REMOVED: "raises less than before",
    Kind.REFUSAL_CHANGED: "a caller that worked does not meet it",
    Kind.PARAM_IGNORED: "new, so nobody relies on it",
    Kind.PARAM_HONOURED: "nobody who worked came that far",
    Kind.RESULT_CHANGED: "only where something new is used",
    Kind.SIBLINGS_DIFFER: "each class is asked in its own words",
    Kind.SIBLINGS_AGREE: "the classes are asked in the same words now",
}


def judge_inside(difference: Difference, context: Context) -> Line | None:
    """Return the line of a difference in the insides; None for what the consumer does not use."""
    place = place_of(difference)
    uses = context.uses.of(difference.symbol, place.member)
    if difference.kind in (Kind.SIBLINGS_DIFFER, Kind.SIBLINGS_AGREE):
        uses = context.uses.of_method(place.member)
    if difference.kind is Kind.BODY_EDITED:
        # The release itself calls methods of what it is handed.
        uses = uses or context.uses.of(difference.symbol)
    if not uses:
        return None
    if difference.level is not Level.DANGEROUS:
        if difference.kind is Kind.BRANCH_REMOVED or difference.level is Level.BREAKING:
            return _lost(difference, uses, context)
        why = _SAFE.get(difference.kind, "nothing that worked changes")
        return context.line(difference, Verdict.SAFE, why)
    calls = [use for use in uses if use.how is How.CALL]
    if place.parameter and calls and not any(_may_send(use, place.parameter) for use in calls):
        return context.line(difference, Verdict.SAFE, "no call sends it")
    why, todo = _DEVICE.get(
        difference.kind, ("the same call does something else", "run it on each GPU you serve on")
    )
    return context.line(difference, Verdict.GPU, why, todo, [use.site for use in calls or uses])


def _lost(difference: Difference, uses: list[Use], context: Context) -> Line:
    sites = [use.site for use in uses]
    if difference.kind is Kind.RESULT_CHANGED:
        why, todo = "returns something else", "unpack what it returns now"
    else:
        why, todo = "can no longer be chosen", "ask for another, or let the release choose"
    return context.line(difference, Verdict.CHANGE, why, todo, sites)


def _may_send(use: Use, parameter: str) -> bool:
    """Whether a call can give ``parameter``; one by position, or that is not followed, may."""
    return use.open or use.positional > 0 or parameter in use.sent
