"""Destroying and reading a workspace, TRT-LLM's validator, communicators, and the older calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.probes.cases.arguments import ALONE, BACKENDS, BF16, FP32, SUBGROUP, WHOLE, creation
from driftgate.probes.model import Call, Probe

if TYPE_CHECKING:
    from collections.abc import Iterator


def lives() -> Iterator[Probe]:
    """Probes of ``destroy``, and of what a workspace says of itself."""
    for backend in BACKENDS:
        made = creation(backend=backend)
        yield Probe(f"destroy.{backend}", Call.DESTROY, made=made)
        yield Probe(f"destroy.{backend}.twice", Call.DESTROY, made=made, before="destroy")
        yield Probe(f"destroy.{backend}.argument", Call.DESTROY, (True,), made=made)
        faulty = replace(WHOLE, faults=("destroy_raises",))
        yield Probe(f"destroy.{backend}.raises", Call.DESTROY, made=made, scene=faulty)
        for name in (
            "backend",
            "world_size",
            "rank",
            "tp_size",
            "metadata",
            "buffer_size_bytes",
            "workspace_size_bytes",
            "_destroyed",
            "absent",
            "_absent",
        ):
            yield Probe(f"read.{backend}.{name}", Call.READ, (name,), made=made)
        yield Probe(
            f"read.{backend}.metadata.destroyed",
            Call.READ,
            ("metadata",),
            made=made,
            before="destroy",
        )
        yield Probe(
            f"read.{backend}.subgroup-rank",
            Call.READ,
            ("rank",),
            scene=SUBGROUP,
            made=creation(SUBGROUP, backend=backend),
        )


def validations() -> Iterator[Probe]:
    """Probes of the check that TRT-LLM makes in every call."""
    metadata = {"max_token_num": 16, "tp_size": 4, "hidden_dim": 64, "use_fp32_lamport": False}
    asked = (16, 64, 4, BF16)
    for name, problem, stated in (
        ("fits", asked, metadata),
        ("tokens", (17, 64, 4, BF16), metadata),
        ("reshaped", (32, 32, 4, BF16), metadata),
        ("wide", (8, 128, 4, BF16), metadata),
        ("ranks", (16, 64, 8, BF16), metadata),
        ("dtype", (16, 64, 4, FP32), metadata),
        ("all", (17, 65, 8, FP32), metadata),
        ("nothing-stated", asked, {}),
        ("one-key-stated", asked, {"tp_size": 4}),
        ("stated-as-none", asked, dict.fromkeys(metadata)),
        ("lamport-1", asked, {**metadata, "use_fp32_lamport": 1}),
    ):
        yield Probe(f"validate.{name}", Call.VALIDATE, (*problem, stated))
    yield Probe("validate.none", Call.VALIDATE, (*asked, None))


def communicators() -> Iterator[Probe]:
    """Probes of ``TorchDistBackend``."""
    for name, scene in (("whole", WHOLE), ("subgroup", SUBGROUP)):
        for method in ("Get_rank", "Get_size", "barrier"):
            yield Probe(f"comm.{name}.{method}", Call.COMM, (method,), scene=scene)
    yield Probe("comm.no-process-group", Call.COMM, ("Get_rank",), scene=ALONE)


def legacy() -> Iterator[Probe]:
    """Probes of calls beside the unified API."""
    made = {"tp_rank": 0, "tp_size": 4, "max_token_num": 16, "hidden_dim": 64}
    for name, changes in (
        ("symmetric-with-metadata", {"create_metadata": True, "use_symm_dev_mem": True}),
        ("symmetric-without-metadata", {"use_symm_dev_mem": True}),
        ("unknown-keyword", {"fp32": True}),
    ):
        yield Probe(f"legacy.{name}", Call.LEGACY_CREATE, kwargs={**made, **changes})
    for name, args in (("hopper", (8, 8192, BF16)), ("fp32", (8, 8192, FP32))):
        yield Probe(f"supported.{name}", Call.SUPPORTED, args, {"max_token_num": 64})
