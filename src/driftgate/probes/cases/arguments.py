# ruff: noqa: ANN401 - arguments of any kind
"""Scenes, sizes and arguments that probes share."""

from __future__ import annotations

from typing import Any

from driftgate.probes.model import DType, Ref, Scene

BF16 = DType("bfloat16")
FP32 = DType("float32")
BACKENDS = ("trtllm", "mnnvl")
HINTS = (None, True, False)
# 26 x 5120 on four ranks: MNNVL needs two-shot's 1,146,880 bytes, over one-shot's threshold.
TOKENS, HIDDEN = 26, 5120

WHOLE = Scene()
SUBGROUP = Scene(world=8, ranks=(2, 3, 4, 5))
FIRST_HALF = Scene(world=8)
BLACKWELL = Scene(world=8, ranks=tuple(range(8)), sm=100)
ALONE = Scene(world=0)


def over(count: int) -> Scene:
    """A scene whose group is all of a WORLD of ``count`` ranks."""
    return Scene(world=count, ranks=tuple(range(count)))


def sent(arguments: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is ``...``."""
    return {name: value for name, value in arguments.items() if value is not ...}


def creation(scene: Scene = WHOLE, **changes: Any) -> dict[str, Any]:
    """Arguments of a creation as a careful engine sends them; ``...`` leaves one out."""
    arguments = {
        "backend": "trtllm",
        "world_size": len(scene.ranks),
        "rank": 0,
        "max_token_num": TOKENS,
        "hidden_dim": HIDDEN,
        "dtype": BF16,
        "comm_backend": Ref.COMM,
        "group": Ref.GROUP_WHERE_TAKEN,
        **changes,
    }
    return sent(arguments)
