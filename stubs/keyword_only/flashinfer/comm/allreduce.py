import driftgate_stub_core as core

core.borrow(globals())


def create_allreduce_fusion_workspace(
    *,
    backend="auto",
    world_size=None,
    rank=None,
    max_token_num=None,
    hidden_dim=None,
    dtype=None,
    gpus_per_node=None,
    comm_backend=None,
    force_oneshot_support=False,
    group=None,
):
    return core.call("create_allreduce_fusion_workspace", SHAPE, locals())


def allreduce_fusion(
    *,
    input,
    workspace,
    pattern,
    launch_with_pdl=False,
    trigger_completion_at_end=True,
    output=None,
    residual_out=None,
    norm_out=None,
    quant_out=None,
    scale_out=None,
    residual_in=None,
    rms_gamma=None,
    rms_eps=1e-6,
    scale_factor=None,
    layout_code=None,
    use_oneshot=None,
    fp32_acc=False,
):
    return core.call("allreduce_fusion", SHAPE, locals())


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def is_buffer_size_sufficient(
    self,
    *,
    tp_size,
    num_tokens,
    hidden_dim,
    dtype,
    use_oneshot=None,
):
    return core.method("TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())
