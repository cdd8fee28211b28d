import driftgate_stub_core as core

core.borrow(globals())


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self, tp_size, num_tokens, hidden_dim, dtype, prefer_oneshot: Optional[bool] = None
) -> bool:
    return core.method("TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())
