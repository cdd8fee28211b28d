"""Problems to ask a workspace about: hand-picked edges, mixed with anything."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st

THRESHOLD = 1 << 20  # bytes, up to which MNNVL chooses one-shot by itself
DTYPES = (
    torch.bfloat16,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.float8_e4m3fn,
    torch.int32,
)


@dataclass(frozen=True)
class Made:
    """What a workspace is made for."""

    backend: str
    ranks: int
    tokens: int
    hidden: int
    dtype: torch.dtype = torch.bfloat16
    use_oneshot: bool | None = None


@dataclass(frozen=True)
class Problem:
    """What it is asked about."""

    tokens: int
    hidden: int
    dtype: torch.dtype = torch.bfloat16
    use_oneshot: bool | None = None


MADE = st.builds(
    Made,
    backend=st.sampled_from(["trtllm", "mnnvl", "mnnvl-cutedsl"]),
    ranks=st.sampled_from([2, 4, 8]),
    # Sizes that real models have, and those that the worked numbers are about.
    tokens=st.sampled_from([1, 4, 10, 26, 64, 2048]),
    hidden=st.sampled_from([16, 1024, 4096, 5120, 7168, 8192]),
    dtype=st.sampled_from([torch.bfloat16, torch.float32]),
    use_oneshot=st.sampled_from([None, None, True, False]),
)


def problems(made: Made) -> st.SearchStrategy[Problem]:
    """Problems around everything that may decide, for one workspace."""
    return st.sampled_from(DTYPES).flatmap(
        lambda dtype: _hidden(made).flatmap(
            lambda hidden: st.builds(
                Problem,
                tokens=_tokens(made, hidden, dtype),
                hidden=st.just(hidden),
                dtype=st.just(dtype),
                use_oneshot=st.sampled_from([None, True, False]),
            )
        )
    )


def _hidden(made: Made) -> st.SearchStrategy[int]:
    near = [made.hidden + step for step in (-616, -128, -8, -1, 0, 1, 8, 1024)]
    picked = [
        max(1, hidden) for hidden in (*near, made.hidden // 2, made.hidden * 2, 7, 6552, 4992)
    ]
    return st.one_of(st.sampled_from(picked), st.integers(1, 1 << 17))


def _tokens(made: Made, hidden: int, dtype: torch.dtype) -> st.SearchStrategy[int]:
    row = hidden * dtype.itemsize
    edges = (
        0,
        made.ranks,
        THRESHOLD // (row * made.ranks),
        made.tokens * made.hidden // hidden,
        made.tokens,
        (1 << 31) // hidden,
        (1 << 31) // (2 * row * made.ranks),
    )
    picked = [max(0, edge + step) for edge in edges for step in (-1, 0, 1)]
    return st.one_of(st.sampled_from(picked), st.integers(0, 1 << 31))


QUESTIONS = MADE.flatmap(lambda made: st.tuples(st.just(made), problems(made)))
