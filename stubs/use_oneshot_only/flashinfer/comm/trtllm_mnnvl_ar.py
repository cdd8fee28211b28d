import driftgate_stub_core as core

core.borrow(globals())


@core.replaces(MNNVLAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self, tp_size, num_tokens, hidden_dim, dtype, use_oneshot: Optional[bool] = None
) -> bool:
    problem = {**locals(), "strategy": core.strategy(SHAPE, use_oneshot)}
    del problem["use_oneshot"]
    return core.method("MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, problem)
