import driftgate_stub_core as core

core.borrow(globals())


@core.replaces(MNNVLAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self,
    tp_size,
    num_tokens,
    hidden_dim,
    dtype,
    strategy=MNNVLAllreduceFusionStrategy.AUTO,
    /,
):
    return core.method("MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())
