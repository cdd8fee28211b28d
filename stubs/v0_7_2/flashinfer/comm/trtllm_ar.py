# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch
from torch.distributed import ProcessGroup
from typing import List, Optional, Tuple, Union

import driftgate_stub_core as core
from driftgate_stub_core import deprecated

from flashinfer.comm.abstractions import CommBackend
from flashinfer.comm.mnnvl import SymmDeviceMemory

SHAPE = core.shape(__file__)


class AllReduceFusionPattern:
    kAllReduce = 0
    kARResidualRMSNorm = 1
    kARResidualRMSNormFP8Quant = 2
    kARResidualRMSNormFP4Quant = 3
    kARResidualRMSNormOutFP8Quant = 4
    kARResidualRMSNormOutFP4Quant = 5
    kMoEReductionARResidualRMSNorm = 6
    kMoEFinalizeARResidualRMSNorm = 7
    kARResidualRMSNormPerTokenGroupFP8PackedQuant = 8
    kARResidualRMSNormOutPerTokenGroupFP8PackedQuant = 9
    kARResidualRMSNormDynamicFP8Quant = 10
    kARResidualRMSNormOutDynamicFP8Quant = 11


class QuantizationSFLayout:
    SWIZZLED_128x4 = 0
    SWIZZLED_8x4 = 1
    LINEAR = 2


def check_trtllm_allreduce_fusion_workspace_metadata(
    token_num: int,
    hidden_dim: int,
    world_size: int,
    dtype: torch.dtype,
    metadata: dict,
) -> None:
    return core.call("check_trtllm_allreduce_fusion_workspace_metadata", SHAPE, locals())


_use_oneshot_heuristics: dict[int, int] = {2: 512, 4: 64, 8: 42}


MAX_COMM_SIZE = 2145386496


@deprecated(...)
def trtllm_create_ipc_workspace_for_all_reduce_fusion(
    tp_rank: int,
    tp_size: int,
    max_token_num: int,
    hidden_dim,
    use_fp32_lamport: bool = False,
    group: Optional[ProcessGroup] = None,
    create_metadata: bool = False,
    comm_backend: Optional[CommBackend] = None,
    use_symm_dev_mem: bool = False,
) -> Union[Tuple[List[List[int]], torch.Tensor], Tuple[List[List[int]], torch.Tensor, dict], Tuple[List[List[int]], torch.Tensor, List[SymmDeviceMemory], dict]]:
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


@deprecated(...)
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
    metadata: Optional[dict] = None,
    block_quant_group_size: Optional[int] = None,
    weight_bias: Optional[float] = None,
) -> None:
    return core.call("trtllm_allreduce_fusion", SHAPE, locals())
