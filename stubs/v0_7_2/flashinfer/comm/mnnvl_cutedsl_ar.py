# Derived by `driftgate stub derive` from a recorded surface; do not edit.

from __future__ import annotations

import torch
from torch.distributed import ProcessGroup
from typing import Optional

import driftgate_stub_core as core

from flashinfer.comm.mnnvl_cutedsl import DEFAULT_CONFIG
from flashinfer.comm.mnnvl_cutedsl.config import MNNVLCuteDSLConfig
from flashinfer.comm.workspace_base import AllReduceFusionWorkspace

SHAPE = core.shape(__file__)


class MNNVLCuteDSLAllReduceFusionWorkspace(AllReduceFusionWorkspace):
    def __init__(
        self,
        tp_size: int,
        tp_rank: int,
        max_token_num: int,
        hidden_dim: int,
        dtype: torch.dtype,
        *,
        group: Optional[ProcessGroup] = None,
        top_k: int = 10,
        rms_eps: float = 1e-06,
        routed_scaling_factor: float = 1.0,
        weight_bias: float = 0.0,
        include_shared_expert: bool = True,
        add_residual: bool = True,
        write_residual_output: bool = True,
        apply_rms_norm: bool = True,
        config: MNNVLCuteDSLConfig = DEFAULT_CONFIG,
    ) -> None:
        return core.method("MNNVLCuteDSLAllReduceFusionWorkspace.__init__", self, locals())

    @property
    def backend(self) -> str:
        return core.method("MNNVLCuteDSLAllReduceFusionWorkspace.backend", self, locals())

    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        use_oneshot=None,
    ) -> bool:
        return core.method("MNNVLCuteDSLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())

    def destroy(self) -> None:
        return core.method("MNNVLCuteDSLAllReduceFusionWorkspace.destroy", self, locals())
