"""How far a right answer may be from float64, and how far an answer is.

With ``u`` the unit roundoff of the dtype, ``u32`` that of float32, ``n`` ranks that each hold
``x_i``, ``S`` their sum, ``r = S + residual``, ``h`` the hidden size and
``s = 1 / sqrt(mean(r^2) + eps)``, to first order and element by element:

- sum: any order of ``n - 1`` additions with unit roundoff ``a`` is off by at most
  ``(n - 1) a sum|x_i|`` (Higham, Accuracy and Stability of Numerical Algorithms, 2002, eq. 4.4),
  and storing it by ``u |S|``. Fused kernels accumulate in float32, ``a = u32``; a plain
  all-reduce may add in the dtype itself, ``a = u``.
- residual: the error of the sum, and ``u |r|`` for storing it: ``E_r``.
- norm: ``y = r s w``. The mean square of ``h`` terms is off by ``h u32`` relatively, and by twice
  ``|E_r| / |r|`` in the 2-norm because of ``r`` itself; the square root halves both, four more
  operations take ``u32`` each, and storing takes ``u``:
  ``E_y = |w| s E_r + |y| (|E_r| / |r| + (h / 2 + 4) u32 + u)``.

To each the spacing of the dtype's subnormals is added. A lost or doubled reduction is off by the
sum itself, that is by about ``1 / u`` of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

_U32 = torch.finfo(torch.float32).eps / 2


@dataclass(frozen=True)
class Right:
    """A right answer in float64, and how far from it is still right.

    Attributes:
        value: The answer.
        allowed: Largest error, element by element.
        dtype: What it is stored in.
    """

    value: torch.Tensor
    allowed: torch.Tensor
    dtype: torch.dtype

    def badness(self, got: torch.Tensor) -> float:
        """The largest error as a multiple of what is allowed; at most 1 is right.

        NaN must be where it should be, and infinities as well: it is infinite otherwise.
        """
        if got.shape != self.value.shape or got.dtype != self.dtype:
            return float("inf")
        if got.numel() == 0:
            return 0.0
        want = self.value.to(self.dtype).double()  # where that overflows, so must the answer
        seen = got.double()
        odd = ~want.isfinite()
        if not torch.equal(seen[odd].nan_to_num(0.5), want[odd].nan_to_num(0.5)):
            return float("inf")
        error = (seen - self.value).abs()[~odd]
        if not bool(error.isfinite().all()):
            return float("inf")
        return float((error / self.allowed[~odd]).max()) if error.numel() else 0.0


def right_sum(held: list[torch.Tensor], *, in_dtype: bool = False) -> Right:
    """The sum of what the ranks hold.

    Args:
        held: ``[tokens, hidden]`` of each rank.
        in_dtype: Whether it may be accumulated in the dtype itself.
    """
    dtype = held[0].dtype
    total = torch.stack([each.double() for each in held]).sum(0)
    volume = torch.stack([each.double().abs() for each in held]).sum(0)
    unit = torch.finfo(dtype).eps / 2
    accumulated = (len(held) - 1) * (unit if in_dtype else _U32) * volume
    return Right(total, accumulated + unit * total.abs() + _spacing(dtype), dtype)


def right_residual(held: list[torch.Tensor], residual: torch.Tensor) -> Right:
    """The sum with the residual added."""
    total = right_sum(held)
    value = total.value + residual.double()
    unit = torch.finfo(total.dtype).eps / 2
    return Right(value, total.allowed + unit * value.abs(), total.dtype)


def right_norm(
    held: list[torch.Tensor], residual: torch.Tensor, weight: torch.Tensor, eps: float
) -> Right:
    """RMSNorm of the sum with the residual, times ``weight`` of shape ``[hidden]``."""
    before = right_residual(held, residual)
    row = before.value
    unit = torch.finfo(before.dtype).eps / 2
    scale = torch.rsqrt(row.square().mean(-1, keepdim=True) + eps)
    value = row * scale * weight.double()
    length = row.norm(dim=-1, keepdim=True).clamp_min(torch.finfo(torch.float64).tiny)
    relative = before.allowed.norm(dim=-1, keepdim=True) / length
    rounding = (row.shape[-1] / 2 + 4) * _U32 + unit
    allowed = weight.double().abs() * scale * before.allowed + value.abs() * (relative + rounding)
    return Right(value, allowed + _spacing(before.dtype), before.dtype)


def _spacing(dtype: torch.dtype) -> float:
    info = torch.finfo(dtype)
    return info.smallest_normal * info.eps
