# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch
from torch.distributed import ProcessGroup
from typing import List, Optional, Tuple, Union

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


class AllReduceFusionPattern:
    kAllReduce = 0
    kARResidualRMSNorm = 1
    kARResidualRMSNormFP8Quant = 2
    kARResidualRMSNormFP4Quant = 3
    kARResidualRMSNormOutFP8Quant = 4
    kARResidualRMSNormOutFP4Quant = 5


class QuantizationSFLayout:
    SWIZZLED_128x4 = 0
    SWIZZLED_8x4 = 1
    LINEAR = 2


MAX_COMM_SIZE = 2145386496


def trtllm_create_ipc_workspace_for_all_reduce_fusion(
    tp_rank: int,
    tp_size: int,
    max_token_num: int,
    hidden_dim,
    use_fp32_lamport: bool = False,
    group: Optional[ProcessGroup] = None,
) -> Tuple[List[List[int]], torch.Tensor]:
    return core.call("trtllm_create_ipc_workspace_for_all_reduce_fusion", SHAPE, locals())


def trtllm_destroy_ipc_workspace_for_all_reduce_fusion(
    workspace: List[List[int]],
    group: Optional[ProcessGroup] = None,
) -> None:
    return core.call("trtllm_destroy_ipc_workspace_for_all_reduce_fusion", SHAPE, locals())


def trtllm_destroy_ipc_workspace_for_all_reduce(
    workspace: List[List[int]],
    group: Optional[ProcessGroup] = None,
) -> None:
    return core.call("trtllm_destroy_ipc_workspace_for_all_reduce", SHAPE, locals())


def trtllm_allreduce_fusion(
    allreduce_in: torch.Tensor,
    world_size: int,
    world_rank: int,
    token_num: int,
    hidden_dim: int,
    workspace_ptrs: torch.Tensor,
    launch_with_pdl: bool,
    trigger_completion_at_end: bool,
    fp32_acc: bool,
    pattern_code: AllReduceFusionPattern,
    use_oneshot: Optional[bool],
    allreduce_out: Optional[torch.Tensor],
    residual_in: Optional[torch.Tensor],
    residual_out: Optional[torch.Tensor],
    norm_out: Optional[torch.Tensor],
    quant_out: Optional[torch.Tensor],
    scale_out: Optional[torch.Tensor],
    rms_gamma: Optional[torch.Tensor],
    rms_eps: Optional[float],
    scale_factor: Optional[Union[torch.Tensor, float]],
    layout_code: Optional[QuantizationSFLayout],
) -> None:
    return core.call("trtllm_allreduce_fusion", SHAPE, locals())
