import driftgate_stub_core as core

core.borrow(globals())

from typing import Literal


@core.replaces(MNNVLAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self,
    tp_size,
    num_tokens,
    hidden_dim,
    dtype,
    strategy: Literal["auto", "oneshot", "twoshot"] = "auto",
) -> bool:
    if strategy not in ("auto", "oneshot", "twoshot"):
        raise ValueError(f"unknown strategy {strategy!r}")
    strategy = MNNVLAllreduceFusionStrategy[strategy.upper()]
    return core.method("MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())
