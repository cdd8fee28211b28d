from __future__ import annotations

import functools
from enum import Enum
from typing import Any, Literal, Union

import pytest
import torch

from flashinfer_comm_fusion.dialect import SizeCheck, find_size_check
from fusion.upstreams import Strategy

BF16 = torch.bfloat16


class Unlike(Enum):
    ONESHOT = "not the one in this module's"
    TWOSHOT = "validators' annotations"


class Recorder:
    """A workspace whose validator keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def note(self, **asked: Any) -> bool:
        self.asked.append(asked)
        return True


class UseOneshot(Recorder):
    def is_buffer_size_sufficient(
        self, tp_size: Any, num_tokens: Any, hidden_dim: Any, dtype: Any, use_oneshot: Any = None
    ) -> bool:
        return self.note(**{k: v for k, v in locals().items() if k != "self"})


class ByDefault(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Any = Strategy.AUTO,
    ) -> bool:
        return self.note(strategy=strategy)


class ByAnnotation(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Any = None,
    ) -> bool:
        return self.note(strategy=strategy)

    is_buffer_size_sufficient.__annotations__["strategy"] = Strategy | None


class ByTextAnnotation(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Union[Strategy, None] = None,  # noqa: UP007 - never evaluated in this module
    ) -> bool:
        return self.note(strategy=strategy)


class ByRarerDefault(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Strategy | Unlike = Unlike.ONESHOT,
    ) -> bool:
        return self.note(strategy=strategy)


class ByRarerAnnotation(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Unlike | None = None,
    ) -> bool:
        return self.note(strategy=strategy)


class ByModule(Recorder):
    def is_buffer_size_sufficient(
        self, tp_size: Any, num_tokens: Any, hidden_dim: Any, dtype: Any, strategy: Any = None
    ) -> bool:
        return self.note(strategy=strategy)


class ByWord(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Literal["auto", "one-shot", "two-shot"] = "auto",
    ) -> bool:
        return self.note(strategy=strategy)


class ByWordUnsaid(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: str = "auto",
    ) -> bool:
        return self.note(strategy=strategy)


class Renamed(Recorder):
    def is_buffer_size_sufficient(
        self, tp_size: Any, num_tokens: Any, hidden_dim: Any, dtype: Any, mode: Any = None
    ) -> bool:
        return self.note(mode=mode)


class Hidden(Recorder):
    def is_buffer_size_sufficient(self, *args: Any, **kwargs: Any) -> bool:
        return self.note(args=args, **kwargs)


class ByPosition(Recorder):
    def is_buffer_size_sufficient(
        self,
        tp_size: Any,
        num_tokens: Any,
        hidden_dim: Any,
        dtype: Any,
        strategy: Strategy = Strategy.AUTO,
        /,
    ) -> bool:
        return self.note(
            tp_size=tp_size, num_tokens=num_tokens, hidden=hidden_dim, dtype=dtype, said=strategy
        )


class WithoutRanks(Recorder):
    def is_buffer_size_sufficient(self, num_tokens: Any, hidden_dim: Any, dtype: Any) -> bool:
        return self.note(num_tokens=num_tokens)


class OtherNames:
    def is_buffer_size_sufficient(self, token_num: int, width: int, dtype: Any) -> bool:
        raise AssertionError("its names are not known, so it must not be asked")


class NeedsMore:
    def is_buffer_size_sufficient(
        self, tp_size: Any, num_tokens: Any, hidden_dim: Any, dtype: Any, *, pattern: Any
    ) -> bool:
        raise AssertionError("it needs something unknown, so it must not be asked")


class NotCallable:
    is_buffer_size_sufficient = True


def check_of(workspace: object) -> SizeCheck:
    check = find_size_check(workspace, 4)
    assert check is not None
    return check


def test_use_oneshot_is_said_by_keyword() -> None:
    workspace = UseOneshot()
    check = check_of(workspace)

    assert check.ask(3, 64, BF16, True)
    assert workspace.asked == [
        {"tp_size": 4, "num_tokens": 3, "hidden_dim": 64, "dtype": BF16, "use_oneshot": True}
    ]


@pytest.mark.parametrize(
    ("workspace", "oneshot", "twoshot"),
    [
        (ByDefault(), Strategy.ONESHOT, Strategy.TWOSHOT),
        (ByAnnotation(), Strategy.ONESHOT, Strategy.TWOSHOT),
        (ByTextAnnotation(), Strategy.ONESHOT, Strategy.TWOSHOT),
        (ByWord(), "one-shot", "two-shot"),
        # The default goes before the annotation, and that before other enums of the module.
        (ByRarerDefault(), Unlike.ONESHOT, Unlike.TWOSHOT),
        (ByRarerAnnotation(), Unlike.ONESHOT, Unlike.TWOSHOT),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Recorder) else "",
)
def test_a_strategy_is_said_as_the_member_that_is_meant(
    workspace: Recorder, oneshot: Any, twoshot: Any
) -> None:
    """MNNVL takes True, False and None in silence for two-shot: only members will do."""
    check = check_of(workspace)

    check.ask(3, 64, BF16, True)
    check.ask(3, 64, BF16, False)

    assert check.takes_hint
    assert [asked["strategy"] for asked in workspace.asked] == [oneshot, twoshot]


def test_the_defining_module_is_the_last_resort() -> None:
    """With no default and no annotation, the first enum with both members is the one."""
    workspace = ByModule()

    check_of(workspace).ask(3, 64, BF16, True)

    assert workspace.asked[0]["strategy"].name == "ONESHOT"
    assert isinstance(workspace.asked[0]["strategy"], (Strategy, Unlike))


@pytest.mark.parametrize("workspace", [ByWordUnsaid(), Renamed(), Hidden()])
def test_a_hint_that_cannot_be_said_is_left_out(workspace: Recorder) -> None:
    check = check_of(workspace)

    assert not check.takes_hint
    assert check.ask(3, 64, BF16, True)
    assert workspace.asked[0].get("strategy", "auto") == "auto"
    assert workspace.asked[0].get("mode") is None
    assert not workspace.asked[0].get("args")


def test_without_a_choice_no_hint_is_sent() -> None:
    workspace = ByDefault()

    check_of(workspace).ask(3, 64, BF16, None)

    assert workspace.asked == [{"strategy": Strategy.AUTO}]


def test_positional_only_parameters_are_filled_in_order() -> None:
    workspace = ByPosition()
    check = check_of(workspace)

    check.ask(3, 64, BF16, None)
    check.ask(3, 64, BF16, False)

    plain = {"tp_size": 4, "num_tokens": 3, "hidden": 64, "dtype": BF16}
    assert workspace.asked == [
        {**plain, "said": Strategy.AUTO},
        {**plain, "said": Strategy.TWOSHOT},
    ]


def test_a_check_that_knows_its_ranks_is_not_told_them() -> None:
    workspace = WithoutRanks()

    assert check_of(workspace).ask(3, 64, BF16, None)
    assert workspace.asked == [{"num_tokens": 3}]


@pytest.mark.parametrize("workspace", [object(), NotCallable(), OtherNames(), NeedsMore()])
def test_a_check_that_cannot_be_asked_is_none(workspace: object) -> None:
    assert find_size_check(workspace, 4) is None


def test_a_cached_method_is_read_through_its_cache() -> None:
    class Cached(Recorder):
        is_buffer_size_sufficient = functools.cache(ByDefault.is_buffer_size_sufficient)

    workspace = Cached()

    check_of(workspace).ask(3, 64, BF16, True)

    assert workspace.asked == [{"strategy": Strategy.ONESHOT}]
