# ruff: noqa: ANN401 - the modules' own classes
"""What a pattern of vLLM's pass asks of a matched layer beyond the shape of its graph."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import torch
from torch import fx
from torch._inductor import pattern_matcher

if TYPE_CHECKING:
    from collections.abc import Callable


def takes_weight(pattern: Any, norm: Any, dtype: torch.dtype, weight_dtype: torch.dtype) -> bool:
    """Return whether ``pattern`` replaces a layer whose norm weight is of ``weight_dtype``.

    The pattern is registered without being traced, and its check is asked about such a layer.

    Args:
        pattern: An instance of one of the pass' classes.
        norm: The operator that is in the graph for an addition and a norm.
        dtype: Of the norm's input and residual.
        weight_dtype: Of the norm's weight.
    """
    checks: list[Callable[[Any], bool]] = []

    def register(*_: Any, extra_check: Callable[[Any], bool] = _anything, **__: Any) -> None:
        checks.append(extra_check)

    with mock.patch.object(pattern_matcher, "register_replacement", register):
        pattern.register(pattern_matcher.PatternMatcherPass())
    graph = fx.Graph()
    inputs = [_input(graph, name, dtype) for name in ("input", "residual")]
    node = graph.call_function(norm, (*inputs, _input(graph, "weight", weight_dtype)))
    match = SimpleNamespace(nodes=[node])
    return any(check(match) for check in checks)


def _anything(_match: Any) -> bool:
    return True


def _input(graph: fx.Graph, name: str, dtype: torch.dtype) -> fx.Node:
    node = graph.placeholder(name)
    node.meta["val"] = torch.empty(1, dtype=dtype)
    return node
