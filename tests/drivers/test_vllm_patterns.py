"""Whether a pattern of a pass in vLLM's manner takes a layer, by what it registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._inductor import pattern_matcher

from driftgate.drive.drivers.vllm_patterns import takes_weight

if TYPE_CHECKING:
    from collections.abc import Callable

NORM = torch.ops.aten.add.Tensor


def _same_types(match: Any) -> bool:
    (node,) = match.nodes
    return len({each.meta["val"].dtype for each in node.args}) == 1


class Pattern:
    """Registers two replacements, each with what it checks."""

    def __init__(self, *checks: Callable[[Any], bool] | None) -> None:
        self._checks = checks

    def register(self, patterns: pattern_matcher.PatternMatcherPass) -> None:
        for check in self._checks:
            keywords: dict[str, Any] = {} if check is None else {"extra_check": check}
            pattern_matcher.register_replacement(
                abs, abs, [], pattern_matcher.fwd_only, patterns, **keywords
            )


@pytest.mark.parametrize(
    ("checks", "weight", "is_taken"),
    [
        ((_same_types, _same_types), torch.bfloat16, True),
        ((_same_types, _same_types), torch.float32, False),
        # The half that checks nothing is the one that matches.
        ((_same_types, None), torch.float32, True),
        ((), torch.bfloat16, False),
    ],
)
def test_a_weight_is_taken_where_some_replacement_takes_it(
    checks: tuple[Callable[[Any], bool] | None, ...], weight: torch.dtype, *, is_taken: bool
) -> None:
    """Each registered replacement may match by itself; a registration is not traced."""
    assert takes_weight(Pattern(*checks), NORM, torch.bfloat16, weight) is is_taken
