"""Words that rows of data may use, for who must not import what they come from."""

from __future__ import annotations

#: Faults that an upstream can be told to have; the stubs' core knows the same.
FAULTS = frozenset(
    {
        "create_raises",
        "create_raises_oom",
        "destroy_raises",
        "fabric_uuid_empty",
        "kernel_raises",
        "null_multicast",
        "size_check_raises",
    }
)

#: The module's reason codes; to ask the module for them would import torch.
REASONS = frozenset(
    {
        "capturing",
        "comm-missing",
        "create-failed",
        "create-returned-none",
        "disabled",
        "import-failed",
        "insufficient-memory",
        "no-flashinfer",
        "no-size-check",
        "no-unified-api",
        "no-workspace",
        "not-configured",
        "null-multicast",
        "peer-failed",
        "rendezvous-unknown",
        "rendezvous-world",
        "signature-unreadable",
        "single-rank",
        "unsupported-backend",
        "unsupported-dtype",
        "unsupported-rank-count",
        "unsupported-topology",
    }
)

#: Names of the torch types that activations have.
DTYPES = frozenset({"bfloat16", "float16", "float32"})
