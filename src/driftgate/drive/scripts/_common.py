"""Steps that most scripts begin or end with."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.drive.engine import Coordinator
    from driftgate.drive.stage import Stage
    from driftgate.trace import Json

    Outputs = tuple[torch.Tensor, torch.Tensor] | None
    Fused = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, float], Outputs]

EPS = 1e-6


def begin(stage: Stage) -> bool:
    """Configure the consumer as the environment says; return whether it can be driven on."""
    environment = stage.environment
    return configure(
        stage,
        stage.engine.group,
        backend=environment.backend,
        sm=environment.sm,
        nodes=environment.nodes,
    )


def configure(
    stage: Stage, group: Coordinator, *, backend: str | None, sm: int, nodes: int = 1
) -> bool:
    """Pretend this machine and tell the consumer; return whether it can be driven on."""
    stage.upstream.pretend(stage.environment, sm=sm, nodes=nodes)
    stage.step(
        "configure",
        lambda: stage.driver.configure(
            stage.engine,
            group,
            backend=backend,
            sm=sm,
            nodes=nodes,
            multicast=stage.environment.multicast,
        ),
        ranks=group.world_size,
        backend=backend,
        sm=sm,
        nodes=nodes,
    )
    return stage.ok()


def create(stage: Stage, *, tokens: int = 0, hidden: int = 0, **args: Json) -> bool:
    """Ask for the engine's workspace, or for one of another size."""
    tokens = tokens or stage.environment.max_token_num
    hidden = hidden or stage.environment.hidden_dim
    made = stage.step(
        "create",
        lambda: stage.driver.create(tokens, hidden, stage.engine.dtype),
        measure=lambda made: {"made": made, "workspace": _workspace(stage)},
        tokens=tokens,
        hidden=hidden,
        **args,
    )
    return bool(made)


def _workspace(stage: Stage) -> Json:
    """What the newest workspace says of itself: what a fast path can be built on."""
    workspace = stage.observer.workspace()
    if workspace is None:
        return None
    metadata = getattr(workspace, "metadata", None)
    return {
        "type": type(workspace).__name__,
        "metadata": sorted(metadata) if isinstance(metadata, dict) else None,
    }


def can_use(stage: Stage, tensor: torch.Tensor, **args: Json) -> bool:
    """Ask whether an all-reduce of ``tensor`` may be fused, and measure the validator's answer."""
    tokens, hidden = tensor.shape

    def measure(answer: bool) -> Json:  # noqa: FBT001 - it is what came back
        validator = stage.observer.ask_validator(
            stage.environment.tp_size, tokens, hidden, tensor.dtype
        )
        return {"answer": answer, "validator": validator}

    used = stage.step(
        "can_use",
        lambda: stage.driver.can_use(tensor, stage.engine.group),
        measure=measure,
        tokens=tokens,
        hidden=hidden,
        **args,
    )
    return bool(used)


def decide(stage: Stage, tensor: torch.Tensor) -> None:
    """Ask whether ``tensor`` may be fused, and again as if compiling."""
    driver, group = stage.driver, stage.engine.group

    def ask() -> Json:
        eager = driver.can_use(tensor, group)
        # By hand: mock.patch takes longer than all else in this step.
        is_compiling = torch.compiler.is_compiling
        try:
            torch.compiler.is_compiling = lambda: True
            return {"eager": [eager], "compiling": [driver.can_use(tensor, group)]}
        finally:
            torch.compiler.is_compiling = is_compiling

    stage.step("decide", ask, tokens=tensor.shape[0], hidden=tensor.shape[1])


def all_reduce(stage: Stage, tensor: torch.Tensor, **args: Json) -> None:
    """All-reduce ``tensor`` and measure the error against plain torch in float64.

    The fake process group has every peer hold this rank's input, so the sum is the input times
    the rank count.
    """
    want = tensor.double() * stage.environment.tp_size
    stage.step(
        "all_reduce",
        lambda: stage.driver.all_reduce(tensor),
        measure=lambda got: {"error": relative_error(got, want)},
        tokens=tensor.shape[0],
        hidden=tensor.shape[1],
        **args,
    )


def fused(
    stage: Stage,
    tensor: torch.Tensor,
    *,
    weight_dtype: torch.dtype | None = None,
    compiled: Fused | None = None,
    **args: Json,
) -> None:
    """Run the fused operation; measure norm and residual against plain torch in float64.

    Args:
        stage: Where it is played.
        tensor: The input.
        weight_dtype: Data type of the norm's weight; None for the input's.
        compiled: What is run instead, as a step named ``compiled``.
        **args: What else was asked.
    """
    residual = sample(tensor.shape[0], tensor.shape[1], tensor.dtype, seed=5)
    weight = sample(1, tensor.shape[1], weight_dtype or tensor.dtype, seed=3)[0] + 1
    want_residual = tensor.double() * stage.environment.tp_size + residual.double()
    scale = torch.rsqrt(want_residual.square().mean(-1, keepdim=True) + EPS)
    want_norm = want_residual * scale * weight.double()

    def measure(got: Outputs) -> Json:
        if got is None:
            return {"declined": True}
        return {
            "declined": False,
            "norm_error": relative_error(got[0], want_norm),
            "residual_error": relative_error(got[1], want_residual),
        }

    stage.step(
        "fused" if compiled is None else "compiled",
        lambda: (compiled or stage.driver.fused)(tensor, residual.clone(), weight, EPS),
        measure=measure,
        tokens=tensor.shape[0],
        hidden=tensor.shape[1],
        **args,
    )


def finish(stage: Stage) -> None:
    """Clean up twice, look for what is still alive, and ask once more."""
    stage.step("cleanup", stage.driver.cleanup)
    stage.step("cleanup", stage.driver.cleanup)
    gc.collect()
    if stage.upstream.live_handles():
        stage.leaks.append(f"handles: {stage.upstream.live_handles()}")
    if stage.observer.workspace() is not None:
        stage.leaks.append(f"workspace: {type(stage.observer.workspace()).__name__}")
    # Last: a consumer may make a workspace when it is asked.
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    can_use(stage, torch.empty(tokens, hidden, dtype=stage.engine.dtype), after_cleanup=True)


def grid(tokens: int, hidden: int, tp_size: int) -> Iterator[tuple[int, int]]:
    """Yield problems around the rank count, around capacity, and of equal size in another shape."""
    for width in (hidden, hidden - 128, hidden // 2, 2 * hidden):
        around = tokens * hidden // width
        counts = {1, tp_size, tp_size + 1, tokens, around, around + 1, 4 * around, 64 * around}
        for count in sorted(counts):
            yield count, width


def sample(tokens: int, hidden: int, dtype: torch.dtype, seed: int = 1) -> torch.Tensor:
    """Make a tensor of small eighths, whose sums over ranks are exact in bfloat16."""
    ramp = torch.arange(tokens * hidden, dtype=torch.int64) * seed
    return ((ramp % 13 - 6) / 8).to(dtype).reshape(tokens, hidden)


def relative_error(got: torch.Tensor, want: torch.Tensor) -> float:
    """Return the largest deviation over the largest value; infinite where shapes differ."""
    if got.shape != want.shape:
        return float("inf")
    if want.numel() == 0:
        return 0.0
    return float((got.double() - want).abs().max() / want.abs().max())
