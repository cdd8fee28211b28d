"""Binding against Python's own: ``inspect.Signature.bind`` on the same signature and call."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from calls.test_binding import on_make
from driftgate.calls.binding import BREAKING

NAMES = ("world", "rank", "dtype", "hidden")


@st.composite
def signatures(draw: st.DrawFn) -> str:
    """Parameter lists with every kind of parameter, in an order that Python allows."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    first, second = sorted(draw(st.tuples(*[st.integers(0, len(names))] * 2)))
    optional_from = draw(st.integers(0, len(names)))
    spelled = [
        f"{name}=0" if number >= min(optional_from, second) and draw(st.booleans()) else name
        for number, name in enumerate(names)
    ]
    # Python wants no required parameter after an optional one, except keyword-only ones.
    seen = False
    for number in range(second):
        seen = seen or "=" in spelled[number]
        if seen and "=" not in spelled[number]:
            spelled[number] += "=0"
    parts = spelled[:first] + (["/"] if first else []) + spelled[first:second]
    if draw(st.booleans()):
        parts.append("*more")
    elif second < len(names):
        parts.append("*")
    parts += spelled[second:]
    if draw(st.booleans()):
        parts.append("**options")
    return ", ".join(parts)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    signatures(),
    st.integers(0, 5),
    st.lists(st.sampled_from((*NAMES, "other")), unique=True),
)
def test_a_call_breaks_where_python_raises(text: str, count: int, keywords: list[str]) -> None:
    """A verdict is breaking exactly where Python cannot bind the call."""
    namespace: dict[str, object] = {}
    exec(f"def make({text}): ...", namespace)  # noqa: S102 - our own text
    function = namespace["make"]
    assert callable(function)
    try:
        function(*range(count), **dict.fromkeys(keywords, 0))
        raises = False
    except TypeError:
        raises = True
    arguments = ", ".join([str(n) for n in range(count)] + [f"{name}=0" for name in keywords])

    found = on_make(f"comm.make({arguments})", f"def make({text}): ...")

    assert raises == any(verdict in BREAKING for verdict, _ in found)
