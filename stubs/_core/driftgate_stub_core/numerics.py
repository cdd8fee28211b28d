"""Reference arithmetic on CPU for the two patterns that every release has."""

from __future__ import annotations

import torch

from driftgate_stub_core.peers import Peers

ALL_REDUCE = 0
ALL_REDUCE_RESIDUAL_RMS_NORM = 1
PATTERNS = (ALL_REDUCE, ALL_REDUCE_RESIDUAL_RMS_NORM)


def all_reduce(peers: Peers, input: torch.Tensor, output: torch.Tensor) -> None:
    """Write the sum of ``input`` over ``peers`` to ``output`` (any equal number of elements)."""
    output.copy_(peers.total(input).view_as(output))


def all_reduce_residual_rms_norm(
    peers: Peers,
    input: torch.Tensor,
    *,
    residual_in: torch.Tensor,
    gamma: torch.Tensor,
    eps: float,
    weight_bias: float,
    residual_out: torch.Tensor | None,
    norm_out: torch.Tensor | None,
) -> None:
    """Sum ``input`` over ``peers``, add the residual, and normalise each row.

    ``norm = x * rsqrt(mean(x ** 2) + eps) * (gamma + weight_bias)`` (Zhang and Sennrich 2019, the
    bias being Gemma's), computed in float32 and rounded once into each output.

    Args:
        peers: Whom to sum over.
        input: ``[tokens, hidden]``; so are the residuals and ``norm_out``, flat or not.
        residual_in: Added once, after the sum.
        gamma: ``[hidden]``.
        eps: Added to the mean square.
        weight_bias: Added to ``gamma``.
        residual_out: Receives the value before normalisation, if given.
        norm_out: Receives the normalised value, if given.
    """
    before = peers.total(input) + residual_in.float().view_as(input)
    if residual_out is not None:
        residual_out.copy_(before.view_as(residual_out))
    if norm_out is not None:
        scale = torch.rsqrt(before.square().mean(dim=-1, keepdim=True) + eps)
        normed = before * scale * (gamma.float() + weight_bias)
        norm_out.copy_(normed.view_as(norm_out))
