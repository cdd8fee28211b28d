# Derived by `driftgate stub derive` from a recorded surface; do not edit.

from flashinfer.comm.allreduce import (
    TRTLLMAllReduceFusionWorkspace as TRTLLMAllReduceFusionWorkspace,
    allreduce_fusion as allreduce_fusion,
    create_allreduce_fusion_workspace as create_allreduce_fusion_workspace,
)
from flashinfer.comm.trtllm_ar import (
    AllReduceFusionPattern as AllReduceFusionPattern,
    QuantizationSFLayout as QuantizationSFLayout,
    trtllm_allreduce_fusion as trtllm_allreduce_fusion,
    trtllm_create_ipc_workspace_for_all_reduce_fusion as trtllm_create_ipc_workspace_for_all_reduce_fusion,
    trtllm_destroy_ipc_workspace_for_all_reduce as trtllm_destroy_ipc_workspace_for_all_reduce,
    trtllm_destroy_ipc_workspace_for_all_reduce_fusion as trtllm_destroy_ipc_workspace_for_all_reduce_fusion,
)
from flashinfer.comm.trtllm_mnnvl_ar import (
    MNNVLAllReduceFusionWorkspace as MNNVLAllReduceFusionWorkspace,
)
from flashinfer.comm.workspace_base import AllReduceFusionWorkspace as AllReduceFusionWorkspace
