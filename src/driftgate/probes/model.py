"""What a probe is: a scene, a call, and values that mean something in any upstream."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Call(str, Enum):
    """What is called."""

    CREATE = "create_allreduce_fusion_workspace"
    REDUCE = "allreduce_fusion"
    FITS = "is_buffer_size_sufficient"  # of the workspace
    BYTES = "get_required_buffer_size_bytes"  # of the workspace's class
    DESTROY = "destroy"  # of the workspace
    READ = "an attribute of the workspace"
    VALIDATE = "check_trtllm_allreduce_fusion_workspace_metadata"
    COMM = "a method of TorchDistBackend"
    LEGACY_CREATE = "trtllm_create_ipc_workspace_for_all_reduce_fusion"
    SUPPORTED = "is_mnnvl_cutedsl_supported"


class Ref(str, Enum):
    """A thing that only exists once the upstream and the process group do."""

    GROUP = "the scene's process group"
    GROUP_WHERE_TAKEN = "that, or nothing where create takes no group"
    COMM = "TorchDistBackend over that group"
    COMM_WORLD = "TorchDistBackend over WORLD"
    FOREIGN_COMM = "a communicator of the consumer's own, over that group"
    WORKSPACE = "the workspace that was made"
    NO_WORKSPACE = "an object that is no workspace"


@dataclass(frozen=True)
class Tensor:
    """A tensor of small eighths.

    Attributes:
        shape: Its shape.
        dtype: Name of its torch dtype.
        strided: Whether it is a slice of a wider one, and so not contiguous.
    """

    shape: tuple[int, ...]
    dtype: str = "bfloat16"
    strided: bool = False


@dataclass(frozen=True)
class DType:
    """A torch dtype, by name."""

    name: str


@dataclass(frozen=True)
class Strategy:
    """A member of the upstream's ``MNNVLAllreduceFusionStrategy``, by name."""

    name: str


@dataclass(frozen=True)
class Scene:
    """The process and the machine that a probe is played in.

    Attributes:
        world: Ranks in WORLD; 0 for no process group at all.
        ranks: Global ranks of the group; this process is the first of them.
        sm: Compute capability as an int.
        multicast: Whether the device supports NVLink multicast.
        faults: Switches of the upstream's core, or of the seams, that are on.
    """

    world: int = 4
    ranks: tuple[int, ...] = (0, 1, 2, 3)
    sm: int = 90
    multicast: bool = True
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probe:
    """One question.

    Attributes:
        id: Its name, for reports and for rows of ``matrix/fidelity.toml``.
        call: What is called.
        args: Arguments by position.
        kwargs: Arguments by name.
        made: Arguments of the creation that comes first, for calls about a workspace.
        before: What is done to the workspace first: ``destroy``, ``no metadata``,
            ``metadata without KEY``, ``half the buffer``.
        scene: Where it is played.
    """

    id: str
    call: Call
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] | None = None
    before: str = ""
    scene: Scene = Scene()
