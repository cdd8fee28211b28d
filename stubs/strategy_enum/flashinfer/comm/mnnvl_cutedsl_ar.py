import driftgate_stub_core as core

core.borrow(globals())

from flashinfer.comm.trtllm_mnnvl_ar import MNNVLAllreduceFusionStrategy


@core.replaces(MNNVLCuteDSLAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self,
    tp_size,
    num_tokens,
    hidden_dim,
    dtype,
    strategy: MNNVLAllreduceFusionStrategy = MNNVLAllreduceFusionStrategy.AUTO,
) -> bool:
    return core.method(
        "MNNVLCuteDSLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals()
    )
