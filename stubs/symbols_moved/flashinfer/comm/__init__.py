from flashinfer.comm.backends import TorchDistBackend as TorchDistBackend
from flashinfer.comm.fusion import (
    TRTLLMAllReduceFusionWorkspace as TRTLLMAllReduceFusionWorkspace,
    allreduce_fusion as allreduce_fusion,
    create_allreduce_fusion_workspace as create_allreduce_fusion_workspace,
    is_mnnvl_cutedsl_supported as is_mnnvl_cutedsl_supported,
)
from flashinfer.comm.fusion_cutedsl import (
    MNNVLCuteDSLAllReduceFusionWorkspace as MNNVLCuteDSLAllReduceFusionWorkspace,
)
from flashinfer.comm.fusion_mnnvl import (
    MNNVLAllReduceFusionWorkspace as MNNVLAllReduceFusionWorkspace,
)
from flashinfer.comm.fusion_trtllm import AllReduceFusionPattern as AllReduceFusionPattern
from flashinfer.comm.workspace_base import AllReduceFusionWorkspace as AllReduceFusionWorkspace
