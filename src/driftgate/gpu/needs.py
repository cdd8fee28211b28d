"""What a GPU session needs, and what of it is not here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

GENERATIONS = {"hopper": ((9, 0),), "blackwell": ((10, 0), (10, 3))}


@dataclass(frozen=True)
class Machine:
    """The devices that this process sees.

    Attributes:
        capabilities: Compute capability of each, as (major, minor).
        names: Name of each.
    """

    capabilities: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()

    def matching(self, generation: str) -> int:
        """How many of its devices are of a generation."""
        return sum(each in GENERATIONS[generation] for each in self.capabilities)


def look_at_machine() -> Machine:
    """Ask torch for the devices of this machine."""
    import torch  # noqa: PLC0415 - the command line starts without it

    if not torch.cuda.is_available():
        return Machine()
    devices = range(torch.cuda.device_count())
    return Machine(
        tuple(torch.cuda.get_device_capability(device) for device in devices),
        tuple(torch.cuda.get_device_name(device) for device in devices),
    )


def what_is_lacking(generation: str, machine: Machine, gpus: int) -> str:
    """Return what a check needs and does not have here; empty where it can run.

    Args:
        generation: ``hopper`` or ``blackwell``.
        machine: The devices.
        gpus: How many of that generation the check needs.
    """
    wanted = " or ".join(f"{major}.{minor}" for major, minor in GENERATIONS[generation])
    here = machine.matching(generation)
    if here < gpus:
        return f"needs {gpus} GPU(s) of compute capability {wanted}, found {here}"
    if find_spec("flashinfer") is None:
        return "needs flashinfer-python, which is not installed"
    return ""
