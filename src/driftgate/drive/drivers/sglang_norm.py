# ruff: noqa: ANN401 - the modules' own functions
"""Drive SGLang's norm layer, which calls the fused operation and has to do without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from driftgate.drive.drivers.sglang import SglangDriver

if TYPE_CHECKING:
    from collections.abc import Callable


class SglangNormDriver(SglangDriver):
    """SGLang's fusion module under its norm: the layer before has left its all-reduce to it."""

    def _answers(self) -> dict[str, Callable[[], Any]]:
        return {
            **super()._answers(),
            "all-reduce": lambda: self._all_reduce,
            "native operation": lambda: _NativeOperation,
            "says no": lambda: _says_no,
        }

    def fused(
        self, tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Run the layer, which always answers."""
        norm = self._modules.operation("norm")(tensor.shape[-1], eps=eps)
        norm.weight = torch.nn.Parameter(weight, requires_grad=False)
        out, residual_out = norm.forward_with_allreduce_fusion(tensor, residual)
        return out, residual_out

    def _all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """Sum as the engine does by itself; torch's ``fake`` group has equal ranks."""
        group = self._modules.here.group
        if dist.get_backend(group.device_group) == "fake":
            return tensor * group.world_size
        total = tensor.clone()
        dist.all_reduce(total, group=group.device_group)
        return total


class _NativeOperation(torch.nn.Module):
    """What SGLang's layers inherit, on a machine for which it has no kernels."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        native: Any = self.forward_native
        return native(*args, **kwargs)


def _says_no(*_: Any, **__: Any) -> bool:
    return False
