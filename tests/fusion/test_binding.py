from __future__ import annotations

import functools
from typing import Any

import pytest

from flashinfer_comm_fusion.binding import CREATE_BASE, Signature, SignatureState

BASE = frozenset({"backend", "rank"})


def hidden(function: Any) -> Any:
    """A decorator that says nothing of what it wraps."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class BrokenSignature:
    __signature__ = "not a signature"

    def __call__(self, backend: str) -> None: ...


class RaisingSignature:
    @property
    def __signature__(self) -> Any:
        raise OSError("no source here")

    def __call__(self, backend: str) -> None: ...


@pytest.mark.parametrize(
    ("function", "state"),
    [
        (lambda backend, rank=0: None, SignatureState.READABLE),
        (functools.cache(lambda backend: None), SignatureState.READABLE),
        (hidden(lambda backend: None), SignatureState.VAR_KEYWORDS),
        (dict, SignatureState.UNREADABLE),
        (lambda *args: None, SignatureState.UNREADABLE),
        (BrokenSignature(), SignatureState.UNREADABLE),
        (RaisingSignature(), SignatureState.UNREADABLE),
        (None, SignatureState.MISSING),
        (3, SignatureState.MISSING),
    ],
)
def test_every_kind_of_callable_is_a_known_state(function: Any, state: SignatureState) -> None:
    """Reading a signature says how far it can be read, and never raises."""
    assert Signature.read(function, BASE).state is state


def test_a_readable_signature_takes_what_it_names_and_no_base_name_beside() -> None:
    signature = Signature.read(lambda backend, group=None: None, BASE)

    assert [signature.takes(name) for name in ("backend", "group", "rank")] == [True, True, False]
    assert signature.rejected(["backend", "rank", "group", "topology"]) == ("rank", "topology")


@pytest.mark.parametrize("function", [dict, hidden(lambda: None)])
def test_an_unread_signature_takes_the_base_names_only(function: Any) -> None:
    """What some release does not take must not be sent to one that does not tell."""
    signature = Signature.read(function, CREATE_BASE)

    assert signature.takes("comm_backend")
    assert not signature.takes("group")
    assert not signature.takes("trigger_completion_at_end")


def test_names_before_var_keywords_are_taken() -> None:
    def function(group: Any = None, **rest: Any) -> None: ...

    signature = Signature.read(function, BASE)

    assert signature.state is SignatureState.VAR_KEYWORDS
    assert signature.takes("group")
    assert signature.takes("rank")


def test_a_missing_callable_takes_nothing() -> None:
    assert not Signature.read(None, BASE).takes("backend")


def test_arguments_go_by_keyword_and_leave_out_what_is_not_taken() -> None:
    """A parameter inserted upstream in the middle must not shift ours."""

    def function(inserted: int = 0, rank: int = 0) -> tuple[int, int]:
        return inserted, rank

    by_position, by_keyword = Signature.read(function, BASE).arguments({"rank": 3, "group": 1})

    assert (by_position, by_keyword) == ([], {"rank": 3})


def test_positional_only_gaps_are_filled_with_the_upstreams_default() -> None:
    def function(backend: str, inserted: int = 7, rank: int = 0, /, *, group: int = 0) -> Any:
        return backend, inserted, rank, group

    values = {"group": 2, "rank": 1, "backend": "trtllm"}
    by_position, by_keyword = Signature.read(function, BASE).arguments(values)

    assert function(*by_position, **by_keyword) == ("trtllm", 7, 1, 2)


def test_required_parameters_that_are_not_sent_are_named() -> None:
    def function(backend: str, topology: str, rank: int = 0) -> None: ...

    assert Signature.read(function, BASE).unmet(["backend", "rank"]) == ("topology",)
