# ruff: noqa: ANN401 - whatever torch takes and returns
"""``torch`` as a release's modules see it: CUDA queries answered, CUDA tensors on the CPU."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.wheels.machine import Machine

# Factories that take a ``device``; what they make would live on the GPU.
_FACTORIES = ("arange", "empty", "full", "ones", "rand", "randn", "tensor", "zeros")
_SM_COUNT = 132


def _on_cpu(factory: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, **kwargs: Any) -> Any:
        device = kwargs.get("device")
        if device is not None and torch.device(device).type == "cuda":
            kwargs["device"] = "cpu"
        return factory(*args, **kwargs)

    return make


class _Cuda(ModuleType):
    """``torch.cuda`` with the pretended device's answers; the rest is torch's own."""

    def __init__(self, machine: Machine) -> None:
        super().__init__("torch.cuda")

        def capability(*_: Any) -> tuple[int, int]:
            return divmod(machine.device.sm, 10)

        answers: dict[str, Any] = {
            "is_available": lambda: True,
            "device_count": lambda: machine.device.device_count,
            "current_device": lambda: 0,
            "synchronize": lambda *_: None,
            "get_device_capability": capability,
            "get_device_properties": lambda *_: SimpleNamespace(
                name="pretended",
                major=capability()[0],
                minor=capability()[1],
                multi_processor_count=_SM_COUNT,
            ),
            "is_current_stream_capturing": lambda: False,
            "current_stream": lambda *_: SimpleNamespace(cuda_stream=0),
        }
        vars(self).update(answers)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch.cuda, name)


class _Torch(ModuleType):
    """``torch`` with :class:`_Cuda` and factories that know no GPU."""

    def __init__(self, machine: Machine) -> None:
        super().__init__("torch")
        vars(self)["cuda"] = _Cuda(machine)
        for name in _FACTORIES:
            vars(self)[name] = _on_cpu(getattr(torch, name))

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


def put_on_cpu(package: str, machine: Machine) -> tuple[str, ...]:
    """Give every loaded module of ``package`` the pretended torch; return their names.

    The consumer's own torch is left alone.
    """
    pretended = _Torch(machine)
    changed = []
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.") and getattr(module, "torch", None) is torch:
            vars(module)["torch"] = pretended
            changed.append(name)
    return tuple(sorted(changed))
