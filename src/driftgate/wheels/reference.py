"""Reference numerics of the fused patterns, in float32 on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def residual_rms_norm(
    total: Tensor, residual: Tensor, weight: Tensor, eps: float, weight_bias: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Add the residual and normalise.

    With ``h = total + residual``: ``h / sqrt(mean(h^2) + eps) * (weight + weight_bias)``, the mean
    over the last dimension (Zhang and Sennrich 2019, "Root Mean Square Layer Normalization").

    Args:
        total: The reduced activations, ``[tokens, hidden]``, float32.
        residual: ``[tokens, hidden]``.
        weight: ``[hidden]``.
        eps: Added to the mean square.
        weight_bias: Added to the weight; 1 for Gemma's convention.

    Returns:
        The normalised values and ``h``, both float32.
    """
    hidden = total + residual.float()
    scale = torch.rsqrt(hidden.pow(2).mean(dim=-1, keepdim=True) + eps)
    return hidden * scale * (weight.float() + weight_bias), hidden
