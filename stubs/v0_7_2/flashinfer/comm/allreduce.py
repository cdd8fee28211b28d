# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch
from torch.distributed import ProcessGroup
from typing import Any, Literal, Optional, Union

import driftgate_stub_core as core
from driftgate_stub_core import flashinfer_api

from flashinfer.comm.abstractions import CommBackend
from flashinfer.comm.workspace_base import AllReduceFusionWorkspace

SHAPE = core.shape(__file__)


@flashinfer_api
def create_allreduce_fusion_workspace(
    backend: Literal["trtllm", "mnnvl", "auto"] = "auto",
    world_size: int = None,
    rank: int = None,
    max_token_num: int = None,
    hidden_dim: int = None,
    dtype: torch.dtype = None,
    gpus_per_node: int = None,
    comm_backend: Optional[CommBackend] = None,
    force_oneshot_support: bool = False,
    group: Optional[ProcessGroup] = None,
) -> AllReduceFusionWorkspace:
    return core.call("create_allreduce_fusion_workspace", SHAPE, locals())


@flashinfer_api(trace=...)
def allreduce_fusion(
    input: torch.Tensor,
    workspace: AllReduceFusionWorkspace,
    pattern: int,
    launch_with_pdl: bool = False,
    trigger_completion_at_end: bool = True,
    output: Optional[torch.Tensor] = None,
    residual_out: Optional[torch.Tensor] = None,
    norm_out: Optional[torch.Tensor] = None,
    quant_out: Optional[torch.Tensor] = None,
    scale_out: Optional[torch.Tensor] = None,
    residual_in: Optional[torch.Tensor] = None,
    rms_gamma: Optional[torch.Tensor] = None,
    rms_eps: float = 1e-06,
    scale_factor: Optional[Union[torch.Tensor, float]] = None,
    layout_code: Optional[int] = None,
    use_oneshot: Optional[bool] = None,
    fp32_acc: bool = False,
    moe_reduction_device_num_experts: Optional[int] = None,
    moe_reduction_scale_input: Optional[torch.Tensor] = None,
    moe_reduction_active_experts_token_input: Optional[torch.Tensor] = None,
    moe_reduction_token_input: Optional[torch.Tensor] = None,
    expanded_idx_to_permuted_idx: Optional[torch.Tensor] = None,
    expert_scale_factor: Optional[torch.Tensor] = None,
    shared_expert_output: Optional[torch.Tensor] = None,
    block_quant_group_size: Optional[int] = None,
    weight_bias: float = 0.0,
    *,
    moe_finalize_backend: Literal["trtllm", "cake"] = "trtllm",
) -> torch.Tensor:
    return core.call("allreduce_fusion", SHAPE, locals())


class TRTLLMAllReduceFusionWorkspace(AllReduceFusionWorkspace):
    def __init__(
        self,
        tp_size: int,
        tp_rank: int,
        max_token_num: int,
        hidden_dim: int,
        dtype: torch.dtype = torch.float16,
        comm_backend: Optional[CommBackend] = None,
        group: Optional[ProcessGroup] = None,
    ):
        return core.method("TRTLLMAllReduceFusionWorkspace.__init__", self, locals())

    @property
    def backend(self) -> str:
        return core.method("TRTLLMAllReduceFusionWorkspace.backend", self, locals())

    def __getattr__(self, name):
        return core.method("TRTLLMAllReduceFusionWorkspace.__getattr__", self, locals())

    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        use_oneshot: Optional[Any] = None,
    ) -> bool:
        return core.method("TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())

    def destroy(self) -> None:
        return core.method("TRTLLMAllReduceFusionWorkspace.destroy", self, locals())
