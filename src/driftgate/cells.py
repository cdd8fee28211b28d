"""What one run is about: consumer x upstream x tier x environment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Tier(str, Enum):
    """How real the evidence is, weakest first."""

    STATIC = "static"
    STUB = "stub"
    WHEEL = "wheel"
    MULTIRANK = "multirank"
    GPU = "gpu"


@dataclass(frozen=True)
class Environment:
    """The machine and the engine that a cell pretends to have; a row of ``environments.toml``.

    Attributes:
        id: The row's name.
        why: What this environment is there to show, in one line.
        script: The script of ``driftgate.scripts`` that the consumer is driven through.
        sm: Compute capability as an int, 90 for SM90.
        nodes: How many nodes the tensor-parallel group spans.
        world_size: Ranks in WORLD.
        group: Global ranks of the tensor-parallel group; fewer than ``world_size`` is a subgroup.
        backend: The backend that the engine asks for.
        dtype: Name of the activations' torch dtype.
        max_token_num: Tokens that the engine sizes its workspace for.
        hidden_dim: Hidden size that the engine sizes its workspace for.
        draft_hidden_dim: Hidden size of a draft model that shares the workspace; 0 without one.
        limited: Whether the engine's user allows nothing larger than that to be fused.
        multicast: Whether the pretended device supports NVLink multicast.
        faults: Switches of the upstream's core that are on, such as ``create_raises``.
        expects: The reason code that every upstream must give here; empty where it depends on
            the upstream's shape.
        only: Patterns of the upstreams it is run on; empty for all.
        always: Whether it is run even where an upstream's shape keeps fusion off everywhere.
    """

    id: str
    why: str
    script: str
    sm: int = 90
    nodes: int = 1
    world_size: int = 4
    group: tuple[int, ...] = (0, 1, 2, 3)
    backend: str = "auto"
    dtype: str = "bfloat16"
    max_token_num: int = 256
    hidden_dim: int = 1024
    draft_hidden_dim: int = 0
    limited: bool = False
    multicast: bool = True
    faults: tuple[str, ...] = ()
    expects: str = ""
    only: tuple[str, ...] = ()
    always: bool = False

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> Environment:
        """Build one from plain values, whose arrays become tuples."""
        values: dict[str, Any] = {}
        for key, value in row.items():
            values[key] = tuple(value) if isinstance(value, list) else value
        return cls(**values)

    @property
    def tp_size(self) -> int:
        """Ranks in the tensor-parallel group."""
        return len(self.group)

    @property
    def is_subgroup(self) -> bool:
        """Whether the tensor-parallel group is smaller than WORLD."""
        return self.tp_size < self.world_size


@dataclass(frozen=True)
class Cell:
    """One square of the matrix, by the names used on the command line.

    Attributes:
        consumer: ``ours``, ``sglang==0.5.23``, ``file:PATH`` …
        upstream: ``stub:v0_6_11``, ``wheel:0.7.4`` …
        tier: How real the upstream is.
        environment: The pretended machine and engine.
    """

    consumer: str
    upstream: str
    tier: Tier
    environment: str

    def as_dict(self) -> dict[str, Any]:
        """Return the four names, for a result file."""
        return {
            "consumer": self.consumer,
            "upstream": self.upstream,
            "tier": self.tier.value,
            "environment": self.environment,
        }

    def __str__(self) -> str:
        return f"{self.consumer} x {self.upstream} x {self.tier.value} x {self.environment}"
