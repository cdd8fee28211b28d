"""MNNVL's bytes by strategy, allocation and dispatch, against numbers worked by hand."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from stubs.children import Child, InStub

EIGHT: dict[str, Any] = {"world": 8, "group": (0, 1, 2, 3, 4, 5, 6, 7)}
BF16 = torch.bfloat16


def required(ranks: int, tokens: int, hidden: int, **options: Any) -> Callable[[Child], int]:
    def ask(child: Child) -> int:
        cls = child.comm.MNNVLAllReduceFusionWorkspace
        return int(cls.get_required_buffer_size_bytes(ranks, tokens, hidden, BF16, **options))

    return ask


@pytest.mark.parametrize(
    ("ranks", "tokens", "hidden", "expected"),
    [
        (8, 9, 7168, 1032192),  # one-shot: 9 x 7168 x 8 x 2
        (8, 10, 7168, 458752),  # two-shot: 2 x 16 x 7168 x 2, over 1 MiB otherwise
        (8, 10, 6552, 1048320),  # one-shot, 256 bytes below 1 MiB
        (4, 26, 5120, 573440),  # two-shot: 2 x 28 x 5120 x 2
        (4, 26, 4992, 1038336),  # one-shot: 26 x 4992 x 4 x 2
        (8, 2048, 7168, 58720256),  # two-shot: 2 x 2048 x 7168 x 2
        (8, 0, 7168, 0),
    ],
)
def test_required_bytes_under_auto(
    in_stub: InStub, ranks: int, tokens: int, hidden: int, expected: int
) -> None:
    assert expected == in_stub("v0_7_4", required(ranks, tokens, hidden))


def test_one_shot_of_2048_tokens_needs_four_times_what_auto_does(in_stub: InStub) -> None:
    """8 x 2048 x 7168 x 2 bytes."""

    def ask(child: Child) -> int:
        strategies = child.load("flashinfer.comm.trtllm_mnnvl_ar").MNNVLAllreduceFusionStrategy
        return required(8, 2048, 7168, strategy=strategies.ONESHOT)(child)

    assert in_stub("v0_7_4", ask) == 234881024


def accepted(tokens: int, hidden: int, questions: list[tuple[int, int]]) -> Any:
    def ask(child: Child) -> list[bool]:
        check = child.create("mnnvl", tokens, hidden).is_buffer_size_sufficient
        return [check(len(child.ranks), *question, BF16) for question in questions]

    return ask


@pytest.mark.parametrize("name", ["v0_6_0", "v0_6_8", "v0_6_15", "v0_7_4"])
def test_granular_workspace_is_not_monotone_in_tokens(in_stub: InStub, name: str) -> None:
    """Made for (4, 7168) at 8 ranks: 4-6 yes, 7-9 no, 10-24 yes, 25 and more no."""
    answers = in_stub(name, accepted(4, 7168, [(n, 7168) for n in range(1, 30)]), **EIGHT)

    assert {n for n, answer in enumerate(answers, 1) if answer} == {*range(1, 7), *range(10, 25)}


@pytest.mark.parametrize("name", ["v0_6_10", "v0_6_12", "v0_6_13"])
def test_exact_workspace_is_not_monotone_in_hidden_size(in_stub: InStub, name: str) -> None:
    """Made for (10, 7168) at 8 ranks it has 1,032,192 bytes: too few for (10, 6552)."""
    answers = in_stub(name, accepted(10, 7168, [(10, 7168), (10, 6552)]), **EIGHT)

    assert answers == [True, False]


@pytest.mark.parametrize("name", ["v0_6_10", "v0_6_12", "v0_6_13"])
def test_exact_workspace_of_26_by_5120_at_4_ranks(in_stub: InStub, name: str) -> None:
    """It has 1,024,000 bytes (25 one-shot tokens); (26, 4992) needs 1,038,336, (27, 5120) fits."""
    answers = in_stub(name, accepted(26, 5120, [(26, 4992), (27, 5120), (26, 5120)]))

    assert answers == [False, True, True]


@pytest.mark.parametrize(("name", "expected"), [("v0_6_16", 2096464), ("v0_6_18", 2096448)])
def test_each_buffer_is_aligned_to_one_stage_then_to_two(
    in_stub: InStub, name: str, expected: int
) -> None:
    """Three granules less the pad are 6,289,408 bytes; a third of it, down to 16 or 32."""

    def ask(child: Child) -> int:
        return int(child.create("mnnvl", 56, 7168).buffer_size_bytes)

    assert expected == in_stub(name, ask, **EIGHT)


def test_the_hint_is_an_enum_and_anything_else_by_position_means_two_shot(
    in_stub: InStub,
) -> None:
    """9 tokens of 7168 need 1,032,192 bytes in one shot, 458,752 in two; there are 698,368."""

    def ask(child: Child) -> list[Any]:
        check = child.create("mnnvl", 4, 7168).is_buffer_size_sufficient
        answers = [check(8, 9, 7168, BF16, hint) for hint in (None, True, False)]
        return [
            check(8, 9, 7168, BF16),
            *answers,
            outcome(check, 8, 9, 7168, BF16, use_oneshot=True),
        ]

    assert in_stub("v0_7_4", ask, **EIGHT) == [False, True, True, True, "TypeError"]


def test_a_buffer_over_4_gib_is_refused(in_stub: InStub) -> None:
    """Two-shot: 2 x 131,072 x 8,192 x 2 bytes is 2^32, one more than 32 bits say."""

    def ask(child: Child) -> str:
        return outcome(child.create, "mnnvl", 131072, 8192)

    assert in_stub("v0_7_4", ask) == "ValueError"


def test_force_oneshot_support_sizes_for_one_shot(in_stub: InStub) -> None:
    def ask(child: Child) -> list[bool]:
        plain = child.create("mnnvl", 2048, 7168)
        forced = child.create("mnnvl", 2048, 7168, force_oneshot_support=True)
        return [each.buffer_size_bytes >= 234881024 for each in (plain, forced)]

    assert in_stub("v0_7_4", ask, **EIGHT) == [False, True]


@pytest.mark.parametrize(("name", "expected"), [("v0_6_12", True), ("v0_6_13", False)])
def test_use_oneshot_is_honoured_from_0_6_13(in_stub: InStub, name: str, expected: bool) -> None:
    """Two tokens are one-shot by themselves; asked for two-shot, older releases do not listen."""

    def ask(child: Child) -> bool:
        workspace = child.create("mnnvl", 64, 64)
        rows = torch.ones(2, 64, dtype=BF16)
        child.comm.allreduce_fusion(rows, workspace, 0, use_oneshot=False)
        return bool(child.seen("kernel")[0]["use_oneshot"])

    assert expected == in_stub(name, ask)


def test_dispatch_refuses_what_the_validator_accepts(in_stub: InStub) -> None:
    """Missing residual or gamma, other patterns, an odd row width, rows it would misread."""

    def ask(child: Child) -> list[str]:
        workspace = child.create("mnnvl", 64, 64)
        rows = torch.ones(8, 64, dtype=BF16)
        fused = child.comm.allreduce_fusion
        gamma = torch.ones(64, dtype=BF16)
        return [
            outcome(fused, rows, workspace, 1, rms_gamma=gamma),
            outcome(fused, rows, workspace, 1, residual_in=rows),
            outcome(fused, rows, workspace, 6),
            outcome(fused, rows[:, :12], workspace, 0),
            outcome(fused, rows[:, ::2], workspace, 0),
        ]

    assert in_stub("v0_7_4", ask) == [*["ValueError"] * 3, "RuntimeError", "RuntimeError"]


@pytest.mark.parametrize(("name", "expected"), [("v0_6_15", "ok"), ("v0_6_16", "RuntimeError")])
def test_null_multicast_raises_from_0_6_16(in_stub: InStub, name: str, expected: str) -> None:
    def ask(child: Child) -> tuple[str, int]:
        return outcome(child.create, "mnnvl", 64, 64), child.core.live_handles()

    # Where creation raises, the handle is given back.
    assert (expected, int(expected == "ok")) == in_stub(
        name, ask, faults=frozenset({"null_multicast"})
    )


def test_without_multicast_torch_symmetric_memory_is_silent(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(child.create, "mnnvl", 64, 64)

    assert in_stub("v0_6_8", ask, multicast=False) == "RuntimeError"
    assert in_stub("v0_6_12", ask, multicast=False) == "ok"
    assert in_stub("v0_6_15", ask, multicast=False) == "RuntimeError"


def test_the_size_checks_cache_keeps_the_workspace_and_goes_stale(in_stub: InStub) -> None:
    def ask(child: Child) -> list[bool]:
        asked, spared = child.create("mnnvl", 64, 64), child.create("mnnvl", 64, 64)
        before = asked.is_buffer_size_sufficient(4, 64, 64, BF16)
        asked.buffer_size_bytes = 0
        after = asked.is_buffer_size_sufficient(4, 64, 64, BF16)
        alive = [weakref.ref(asked), weakref.ref(spared)]
        for workspace in (asked, spared):
            workspace.destroy()
        del asked, spared, workspace
        gc.collect()
        return [before, after, *(each() is not None for each in alive)]

    assert in_stub("v0_7_4", ask) == [True, True, True, False]
