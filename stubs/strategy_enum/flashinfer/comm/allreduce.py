import driftgate_stub_core as core

core.borrow(globals())

from flashinfer.comm.trtllm_mnnvl_ar import MNNVLAllreduceFusionStrategy


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self,
    tp_size,
    num_tokens,
    hidden_dim,
    dtype,
    strategy: MNNVLAllreduceFusionStrategy = MNNVLAllreduceFusionStrategy.AUTO,
) -> bool:
    return core.method("TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())
