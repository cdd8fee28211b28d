# ruff: noqa: ANN401 - arguments of any kind
"""Size checks: around capacity, with each hint by name and position, on odd workspaces."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.probes.cases.arguments import BACKENDS, BF16, HIDDEN, HINTS, TOKENS, WHOLE, creation
from driftgate.probes.model import Call, DType, Probe, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_STRATEGIES = ("AUTO", "ONESHOT", "TWOSHOT")


def _fits(name: str, backend: str, *args: Any, **changes: Any) -> Probe:
    made = creation(backend=backend, **changes.pop("made", {}))
    before = changes.pop("before", "")
    return Probe(f"fits.{backend}.{name}", Call.FITS, args, changes, made=made, before=before)


def size_checks() -> Iterator[Probe]:
    """Probes of ``is_buffer_size_sufficient`` and what it computes."""
    for backend in BACKENDS:
        for tokens, hidden in (
            (TOKENS, HIDDEN),
            (TOKENS + 1, HIDDEN),
            (TOKENS, HIDDEN + 1),
            (27, 4930),
            (TOKENS, 4992),
            (52, 2560),
            (0, HIDDEN),
            (1, TOKENS * HIDDEN),
            (13, 10240),
            (64, HIDDEN),
            (68, HIDDEN),
            (69, HIDDEN),
            (1 << 20, 1 << 14),
            (-1, HIDDEN),
        ):
            yield _fits(f"{tokens}x{hidden}", backend, 4, tokens, hidden, BF16)
        for tokens in (4, 6, 7, 9, 10, 24, 25):  # where the need is not monotone
            yield _fits(
                f"small.{tokens}",
                backend,
                8,
                tokens,
                7168,
                BF16,
                made={"max_token_num": 4, "hidden_dim": 7168},
            )
        for ranks in (1, 2, 8, 0):
            yield _fits(f"asked-for-ranks-{ranks}", backend, ranks, 8, HIDDEN, BF16)
        for dtype in ("float32", "float16", "int8"):
            yield _fits(f"asked-for-{dtype}", backend, 4, 8, HIDDEN, DType(dtype))
        for hint in HINTS:
            yield _fits(f"use-oneshot-{hint}", backend, 4, 64, HIDDEN, BF16, use_oneshot=hint)
            yield _fits(f"by-position-{hint}", backend, 4, 64, HIDDEN, BF16, hint)
            yield _fits(f"strategy-{hint}", backend, 4, 64, HIDDEN, BF16, strategy=hint)
        for name in _STRATEGIES:
            yield _fits(f"strategy-{name}", backend, 4, 64, HIDDEN, BF16, strategy=Strategy(name))
            yield _fits(f"by-position-{name}", backend, 4, 64, HIDDEN, BF16, Strategy(name))
        yield _fits("by-name", backend, tp_size=4, num_tokens=8, hidden_dim=HIDDEN, dtype=BF16)
        yield _fits("nothing", backend)
        yield _fits("dtype-none", backend, 4, 8, HIDDEN, None)
        yield _fits("dtype-text", backend, 4, 8, HIDDEN, "bfloat16")
        yield _fits("tokens-none", backend, 4, None, HIDDEN, BF16)
        yield _fits("unknown-keyword", backend, 4, 8, HIDDEN, BF16, tokens=8)
        yield _fits("destroyed", backend, 4, 8, HIDDEN, BF16, before="destroy")
        yield _fits("no-metadata", backend, 4, 8, HIDDEN, BF16, before="no metadata")
        for key in ("max_token_num", "use_fp32_lamport", "tp_size", "hidden_dim"):
            yield _fits(
                f"metadata-without-{key}",
                backend,
                4,
                8,
                HIDDEN,
                BF16,
                before=f"metadata without {key}",
            )
        yield _fits("half-the-buffer", backend, 4, 64, HIDDEN, BF16, before="half the buffer")
        faulty = replace(WHOLE, faults=("size_check_raises",))
        yield replace(_fits("raises", backend, 4, 8, HIDDEN, BF16), scene=faulty)
        for strategy in (*map(Strategy, _STRATEGIES), None, True):
            shown = strategy.name if isinstance(strategy, Strategy) else strategy
            yield Probe(
                f"bytes.{backend}.{shown}",
                Call.BYTES,
                (8, 10, 7168, BF16, strategy),
                made=creation(backend=backend),
            )
