# ruff: noqa: ANN401 - arguments of any kind
"""Creation: by rank count, group and communicator; sizes, faults, odd and missing arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.probes.cases.arguments import (
    ALONE,
    BACKENDS,
    BF16,
    BLACKWELL,
    FIRST_HALF,
    HIDDEN,
    SUBGROUP,
    TOKENS,
    WHOLE,
    creation,
    over,
)
from driftgate.probes.model import Call, DType, Probe, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.probes.model import Scene


def _create(name: str, scene: Scene = WHOLE, **changes: Any) -> Probe:
    return Probe(f"create.{name}", Call.CREATE, kwargs=creation(scene, **changes), scene=scene)


def creations() -> Iterator[Probe]:
    """Probes of ``create_allreduce_fusion_workspace``."""
    for backend in BACKENDS:
        for count in (1, 2, 3, 4, 6, 8, 16, 32):
            yield _create(f"{backend}.ranks-{count}", over(count), backend=backend)
        yield _create(f"{backend}.subgroup", SUBGROUP, backend=backend)
        yield _create(
            f"{backend}.subgroup-by-group-alone", SUBGROUP, backend=backend, comm_backend=None
        )
        yield _create(f"{backend}.subgroup-by-comm-alone", SUBGROUP, backend=backend, group=...)
        yield _create(
            f"{backend}.subgroup-over-world",
            FIRST_HALF,
            backend=backend,
            group=...,
            comm_backend=Ref.COMM_WORLD,
            world_size=8,
        )
        yield _create(
            f"{backend}.foreign-comm",
            SUBGROUP,
            backend=backend,
            group=...,
            comm_backend=Ref.FOREIGN_COMM,
        )
        yield _create(f"{backend}.neither", backend=backend, comm_backend=..., group=...)
        yield _create(f"{backend}.comm-none", backend=backend, comm_backend=None, group=None)
        yield _create(f"{backend}.gpus-per-node", backend=backend, gpus_per_node=2)
        yield _create(f"{backend}.force-oneshot", backend=backend, force_oneshot_support=True)
        yield _create(
            f"{backend}.force-oneshot-large",
            backend=backend,
            max_token_num=4096,
            force_oneshot_support=True,
        )
        for dtype in ("float32", "float16", "float64", "int8"):
            yield _create(f"{backend}.{dtype}", backend=backend, dtype=DType(dtype))
        yield _create(f"{backend}.one-token", backend=backend, max_token_num=1)
        yield _create(f"{backend}.no-tokens", backend=backend, max_token_num=0)
        yield _create(f"{backend}.small", backend=backend, max_token_num=4, hidden_dim=7168)
        # Of three granules, a third is an odd number of 16 bytes: so alignments show.
        yield _create(f"{backend}.three-granules", backend=backend, max_token_num=80)
        yield _create(f"{backend}.odd-width", backend=backend, hidden_dim=4999)
        yield _create(
            f"{backend}.two-gibibytes", backend=backend, max_token_num=1 << 16, hidden_dim=8192
        )
        yield _create(
            f"{backend}.over-four-gibibytes",
            backend=backend,
            max_token_num=1 << 17,
            hidden_dim=16384,
        )
        yield _create(f"{backend}.no-dtype", backend=backend, dtype=None)
        yield _create(f"{backend}.no-sizes", backend=backend, max_token_num=..., hidden_dim=...)
        yield _create(f"{backend}.no-multicast", replace(WHOLE, multicast=False), backend=backend)
        for fault in ("null_multicast", "create_raises", "create_raises_oom", "fabric_uuid_empty"):
            yield _create(f"{backend}.{fault}", replace(WHOLE, faults=(fault,)), backend=backend)
        yield _create(f"{backend}.no-process-group", ALONE, backend=backend, comm_backend=None)
        yield _create(f"{backend}.unknown-keyword", backend=backend, topology="single_node")
        yield _create(f"{backend}.fp32-lamport", backend=backend, use_fp32_lamport=True)
        yield _create(f"{backend}.group-by-keyword", backend=backend, group=Ref.GROUP)
        yield _create(f"{backend}.cutedsl-option", backend=backend, top_k=10)
    yield from _automatic()
    yield from _cutedsl_creations()


def _automatic() -> Iterator[Probe]:
    for count in (1, 2, 8, 16, 32):
        yield _create(f"auto.ranks-{count}", over(count), backend="auto")
        yield _create(
            f"auto.ranks-{count}-no-multicast",
            replace(over(count), multicast=False),
            backend="auto",
        )
    yield _create("auto.subgroup", SUBGROUP, backend="auto")
    yield _create(
        "auto.subgroup-over-world",
        FIRST_HALF,
        backend="auto",
        group=...,
        comm_backend=Ref.COMM_WORLD,
    )
    yield _create("auto.comm-none", backend="auto", comm_backend=None)
    yield _create("default-backend", backend=...)
    yield _create("unknown-backend", backend="nccl")
    yield _create("backend-none", backend=None)
    yield Probe("create.nothing", Call.CREATE)
    yield Probe(
        "create.by-position", Call.CREATE, ("mnnvl", 4, 0, TOKENS, HIDDEN, BF16, 4, Ref.COMM)
    )
    yield Probe(
        "create.too-many",
        Call.CREATE,
        ("trtllm", 4, 0, TOKENS, HIDDEN, BF16, 4, Ref.COMM, False, Ref.GROUP, 10),
    )


def _cutedsl_creations() -> Iterator[Probe]:
    # The fitting call needs kernels that are compiled on the spot; what is refused does not.
    asked = {"backend": "mnnvl-cutedsl", "comm_backend": ..., "hidden_dim": 8192}
    yield _create("cutedsl.comm-backend", BLACKWELL, **{**asked, "comm_backend": Ref.COMM})
    yield _create("cutedsl.gpus-per-node", BLACKWELL, **asked, gpus_per_node=8)
    yield _create("cutedsl.force-oneshot", BLACKWELL, **asked, force_oneshot_support=True)
    yield _create("cutedsl.fits", BLACKWELL, **asked)
    yield _create("cutedsl.hopper", over(8), **asked)
