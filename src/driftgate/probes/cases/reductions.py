# ruff: noqa: ANN401 - arguments of any kind
"""All-reduce, plain and fused: hints, types, layouts, patterns; tensors that miss or are odd."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.probes.cases.arguments import (
    BACKENDS,
    FP32,
    HIDDEN,
    HINTS,
    SUBGROUP,
    TOKENS,
    WHOLE,
    creation,
    over,
    sent,
)
from driftgate.probes.model import Call, DType, Probe, Ref, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator


def _reduce(name: str, backend: str, source: Tensor, **kwargs: Any) -> Probe:
    made = creation(backend=backend, **kwargs.pop("made", {}))
    before = kwargs.pop("before", "")
    arguments = sent({"pattern": 0, **kwargs})
    return Probe(
        f"reduce.{backend}.{name}",
        Call.REDUCE,
        (source, Ref.WORKSPACE),
        arguments,
        made=made,
        before=before,
    )


def _fused(source: Tensor, **changes: Any) -> dict[str, Any]:
    """Arguments of the fused operation; ``...`` leaves one out."""
    arguments = {
        "pattern": 1,
        "residual_in": source,
        "residual_out": Tensor(source.shape, source.dtype),
        "norm_out": Tensor(source.shape, source.dtype),
        "rms_gamma": Tensor(source.shape[-1:], source.dtype),
        "rms_eps": 1e-5,
        **changes,
    }
    return sent(arguments)


def reductions() -> Iterator[Probe]:
    """Probes of ``allreduce_fusion``."""
    eight, wide = Tensor((8, HIDDEN)), Tensor((8, HIDDEN), strided=True)
    for backend in BACKENDS:
        yield from _plain_reductions(backend, eight, wide)
        yield from _fused_reductions(backend, eight, wide)
        yield from _odd_reductions(backend, eight)
    yield Probe("reduce.no-workspace", Call.REDUCE, (eight, Ref.NO_WORKSPACE), {"pattern": 0})
    yield Probe("reduce.none", Call.REDUCE, (eight, None), {"pattern": 0})
    for count in (1, 3, 6, 16):
        for hint in HINTS:
            scene = over(count)
            yield Probe(
                f"reduce.trtllm.ranks-{count}.hint-{hint}",
                Call.REDUCE,
                (eight, Ref.WORKSPACE),
                {"pattern": 0, "use_oneshot": hint},
                made=creation(scene),
                scene=scene,
            )
        scene = over(count)
        yield Probe(
            f"reduce.mnnvl.ranks-{count}",
            Call.REDUCE,
            (eight, Ref.WORKSPACE),
            {"pattern": 0},
            made=creation(scene, backend="mnnvl"),
            scene=scene,
        )
    for backend in BACKENDS:
        yield Probe(
            f"reduce.{backend}.subgroup",
            Call.REDUCE,
            (eight, Ref.WORKSPACE),
            {"pattern": 0},
            made=creation(SUBGROUP, backend=backend),
            scene=SUBGROUP,
        )
        faulty = replace(WHOLE, faults=("kernel_raises",))
        yield Probe(
            f"reduce.{backend}.kernel_raises",
            Call.REDUCE,
            (eight, Ref.WORKSPACE),
            {"pattern": 0},
            made=creation(backend=backend),
            scene=faulty,
        )
        null = replace(WHOLE, faults=("null_multicast",))
        yield Probe(
            f"reduce.{backend}.null_multicast",
            Call.REDUCE,
            (eight, Ref.WORKSPACE),
            {"pattern": 0},
            made=creation(backend=backend),
            scene=null,
        )


def _plain_reductions(backend: str, eight: Tensor, wide: Tensor) -> Iterator[Probe]:
    yield _reduce("plain", backend, eight)
    for hint in HINTS:
        for pdl in (False, True):
            yield _reduce(
                f"hint-{hint}.pdl-{pdl}", backend, eight, use_oneshot=hint, launch_with_pdl=pdl
            )
        for tokens in (1, 4, 5, TOKENS, TOKENS + 1):
            yield _reduce(
                f"tokens-{tokens}.hint-{hint}", backend, Tensor((tokens, HIDDEN)), use_oneshot=hint
            )
    yield _reduce("into-output", backend, eight, output=eight)
    yield _reduce("output-of-other-dtype", backend, eight, output=Tensor((8, HIDDEN), "float32"))
    yield _reduce("not-contiguous", backend, wide)
    yield _reduce("no-tokens", backend, Tensor((0, HIDDEN)))
    yield _reduce("one-dimensional", backend, Tensor((HIDDEN,)))
    yield _reduce("three-dimensional", backend, Tensor((2, 4, HIDDEN)))
    yield _reduce("odd-width", backend, Tensor((8, HIDDEN - 1)))
    yield _reduce("reshaped", backend, Tensor((TOKENS * 2, HIDDEN // 2)))
    yield _reduce(
        "two-shot-reshaped", backend, Tensor((TOKENS * 2, HIDDEN // 2)), use_oneshot=False
    )
    for dtype in ("float32", "float16", "float64", "int32"):
        yield _reduce(f"as-{dtype}", backend, Tensor((8, HIDDEN), dtype))
        yield _reduce(
            f"made-for-{dtype}", backend, Tensor((8, HIDDEN), dtype), made={"dtype": DType(dtype)}
        )
    yield _reduce(
        "largest-fp32-two-shot",
        backend,
        Tensor((TOKENS, HIDDEN), "float32"),
        made={"dtype": FP32},
        use_oneshot=False,
    )
    for trigger in (False, True):
        yield _reduce(f"trigger-{trigger}", backend, eight, trigger_completion_at_end=trigger)
        yield _reduce(f"fp32-acc-{trigger}", backend, eight, fp32_acc=trigger)
    for tokens in (336, 337):  # 42 MiB on eight ranks, where TRT-LLM's heuristic turns
        yield Probe(
            f"reduce.{backend}.heuristic-{tokens}",
            Call.REDUCE,
            (Tensor((tokens, 4096)), Ref.WORKSPACE),
            {"pattern": 0},
            made=creation(over(8), backend=backend, max_token_num=512, hidden_dim=4096),
            scene=over(8),
        )


def _fused_reductions(backend: str, eight: Tensor, wide: Tensor) -> Iterator[Probe]:
    shape = eight.shape
    changes: dict[str, dict[str, Any]] = {
        "": {},
        "-pdl": {"launch_with_pdl": True},
        "-one-shot": {"use_oneshot": True},
        "-two-shot": {"use_oneshot": False},
        "-trigger-false": {"trigger_completion_at_end": False},
        "-fp32-acc": {"fp32_acc": True},
        "-without-residual-in": {"residual_in": ...},
        "-without-gamma": {"rms_gamma": ...},
        "-without-residual-out": {"residual_out": ...},
        "-without-norm-out": {"norm_out": ...},
        "-without-outputs": {"norm_out": ..., "residual_out": ...},
        "-without-eps": {"rms_eps": ...},
        "-eps-none": {"rms_eps": None},
        "-into-input": {"output": eight},
        "-weight-bias": {"weight_bias": 1.0},
        "-short-gamma": {"rms_gamma": Tensor((shape[1] // 2,))},
        "-gamma-fp32": {"rms_gamma": Tensor(shape[1:], "float32")},
        "-residual-fp32": {"residual_in": Tensor(shape, "float32")},
        "-short-residual": {"residual_in": Tensor((4, shape[1]))},
        "-flat-residual": {"residual_in": Tensor((shape[0] * shape[1],))},
        "-strided-residual": {"residual_in": wide},
        "-flat-norm-out": {"norm_out": Tensor((shape[0] * shape[1],))},
        "-layout": {"layout_code": 0},
        "-moe-backend": {"moe_finalize_backend": "cake"},
    }
    for name, change in changes.items():
        yield _reduce(f"fused{name}", backend, eight, **_fused(eight, **change))
    yield _reduce("fused-strided", backend, wide, **_fused(eight))
    odd = Tensor((8, 4998))
    yield _reduce("fused-odd-width", backend, odd, **_fused(odd))


def _odd_reductions(backend: str, eight: Tensor) -> Iterator[Probe]:
    for pattern in (2, 8, 12, 99, -1, None, "kAllReduce"):
        yield _reduce(f"pattern-{pattern}", backend, eight, pattern=pattern)
    for pattern in (2, 8):
        yield _reduce(
            f"pattern-{pattern}.block-128",
            backend,
            eight,
            **_fused(eight, pattern=pattern, block_quant_group_size=128),
        )
    yield _reduce("no-pattern", backend, eight, pattern=...)
    yield _reduce("unknown-keyword", backend, eight, routed=True)
    yield _reduce("destroyed", backend, eight, before="destroy")
    yield _reduce("no-metadata", backend, eight, before="no metadata")
    for key in ("max_token_num", "use_fp32_lamport", "tp_size", "hidden_dim"):
        yield _reduce(f"metadata-without-{key}", backend, eight, before=f"metadata without {key}")
    yield _reduce(
        "half-the-buffer",
        backend,
        Tensor((TOKENS, HIDDEN)),
        use_oneshot=False,
        before="half the buffer",
    )
    yield Probe(
        f"reduce.{backend}.trigger-by-position",
        Call.REDUCE,
        (eight, Ref.WORKSPACE, 0, False, True),
        made=creation(backend=backend),
    )
