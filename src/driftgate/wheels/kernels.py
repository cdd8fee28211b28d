# ruff: noqa: ANN401 - kernels take whatever the release passes
"""The kernel seam: what reaches a kernel is checked, recorded, and computed on the CPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from driftgate.wheels.machine import Peers
from driftgate.wheels.reference import residual_rms_norm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from torch import Tensor

    from driftgate.wheels.machine import Machine, Region
    from driftgate.wheels.table import Kernel

_LAMPORT_BUFFERS = 3
_PLAIN = 0
_NORM = 1
_NO_QUANTISATION = 0
# Positions in an MNNVL workspace's flags tensor.
_FLAG_BYTES_PER_BUFFER = 2
_VECTOR_BYTES = 16  # kernels load rows in such pieces
# The kind of event where something arrived at a kernel with which it cannot run.
REFUSED = "kernel-refused"
# What such an event, and one of a kernel that runs, says besides dtype, ranks and problems.
_REPORTED = (
    "pattern",
    "backend",
    "tokens",
    "hidden",
    "use_oneshot",
    "trigger_completion_at_end",
    "launch_with_pdl",
    "fp32_acc",
)
_DTYPES = ("float16", "bfloat16", "float32")


class KernelRefusedError(RuntimeError):
    """What reached the kernel would have read or written the wrong memory.

    Attributes:
        kernel: The kernel's name.
        problems: What was wrong, one line each.
    """

    def __init__(self, kernel: str, problems: Sequence[str]) -> None:
        self.kernel = kernel
        self.problems = tuple(problems)
        super().__init__(f"{kernel}: {'; '.join(problems)}")


class KernelModule:
    """What a release's ``gen_*_module()`` returns, and what ``build_and_load()`` gives.

    Args:
        machine: The pretended machine.
        rows: Parameter names and rank counts of each kernel.
    """

    def __init__(self, machine: Machine, rows: Mapping[str, Kernel]) -> None:
        self._machine = machine
        self._rows = rows

    def build_and_load(self) -> KernelModule:
        """Compile nothing."""
        return self

    def trtllm_lamport_initialize(self, address: int, count: int, dtype: Any) -> None:
        """Check that the range to be initialised lies in one allocation."""
        region = self._machine.region_at(address)
        if region is None or not region.live or count * dtype.itemsize > region.stride:
            problem = f"{count} x {dtype} at {address:#x} lie in no live allocation"
            raise KernelRefusedError("trtllm_lamport_initialize", [problem])

    def trtllm_allreduce_fusion(self, *args: Any) -> None:
        """TRT-LLM's one entry point for all patterns."""
        name = "trtllm_allreduce_fusion"
        call = self._bind(name, args)
        check = _Check(self._machine)
        pattern = call["pattern_code"]
        tokens, hidden = call["token_num"], call["hidden_dim"]
        source, world = call["allreduce_in"], call["world_size"]
        peers = check.pointer_table(call["workspace_ptrs"], world)
        check.rank(call["world_rank"], world)
        check.flat("allreduce_in", source, tokens * hidden, source)
        for output in ("allreduce_out", "residual_in", "residual_out", "norm_out"):
            check.flat(output, call[output], tokens * hidden, source)
        if pattern == _PLAIN:
            check.present(call, ("allreduce_out",))
        else:
            # This pattern's kernel writes both outputs unasked, and not allreduce_out.
            check.present(call, ("residual_in", "residual_out", "norm_out", "rms_gamma"))
            check.flat("rms_gamma", call["rms_gamma"], hidden, source)
        if call["use_oneshot"]:
            needed = _LAMPORT_BUFFERS * tokens * hidden * source.element_size() * world
            check.fits("the Lamport area", needed, check.part(call["workspace_ptrs"], 2 * world))
        else:
            # The two-shot kernel keeps two copies of the tokens in each rank's first area.
            needed = 2 * tokens * hidden * source.element_size()
            check.fits("the two-shot area", needed, check.part(call["workspace_ptrs"], 0))
        check.launch(source, hidden, world, self._rows[name].rank_counts)
        data = {
            "pattern": pattern,
            "backend": "trtllm",
            "trigger_completion_at_end": call["trigger_completion_at_end"],
            "fp32_acc": call["fp32_acc"],
            "tokens": tokens,
            "hidden": hidden,
        }
        self._report(name, {**call, **data}, source, peers, check)
        if pattern not in (_PLAIN, _NORM):
            raise NotImplementedError(f"{name}: no reference for pattern {pattern}")
        total = peers.sum(source).view(tokens, hidden)
        if pattern == _PLAIN:
            _write(call["allreduce_out"], total)
        else:
            residual = call["residual_in"].view(tokens, hidden)
            bias = call.get("weight_bias") or 0.0
            normed, summed = residual_rms_norm(
                total, residual, call["rms_gamma"], call["rms_eps"] or 0.0, bias
            )
            _write(call["residual_out"], summed)
            _write(call["norm_out"], normed)

    def trtllm_mnnvl_allreduce_fusion(self, *args: Any) -> None:
        """MNNVL's one entry point, with and without the norm."""
        name = "trtllm_mnnvl_allreduce_fusion"
        call = self._bind(name, args)
        check = _Check(self._machine)
        source, world = call["input"], call["nranks"]
        tokens, hidden = source.shape
        peers = check.shared("the local buffer", call["buffer_ptr_local"], world)
        check.shared("the multicast buffer", call["multicast_buffer_ptr"], world)
        check.shared("the pointer array", call["buffer_ptrs_dev"], world)
        check.rank(call["rank"], world)
        fused = call["rmsnorm_fusion"]
        for tensor in ("input", "output", "residual_in", "residual_out"):
            check.flat(tensor, call[tensor], tokens * hidden, source)
        if fused:
            check.present(call, ("residual_in", "residual_out", "gamma", "epsilon"))
            check.flat("gamma", call["gamma"], hidden, source)
        else:
            check.present(call, ("output",))
        per_buffer = int(call["buffer_flags_mnnvl"][_FLAG_BYTES_PER_BUFFER])
        needed = (
            tokens * hidden * world * source.element_size()
            if call["use_oneshot"]
            else 2 * math.ceil(tokens / world) * world * hidden * source.element_size()
        )
        check.fits("one Lamport buffer", needed, per_buffer)
        region = self._machine.region_at(call["buffer_ptr_local"])
        if region is not None:
            check.fits("the allocation", _LAMPORT_BUFFERS * per_buffer, region.stride)
        check.launch(source, hidden, world, self._rows[name].rank_counts)
        quantisation = call.get("quant_type") or _NO_QUANTISATION
        data = {
            "pattern": _NORM if fused else _PLAIN,
            "backend": "mnnvl",
            "trigger_completion_at_end": None,
            "fp32_acc": None,
            "tokens": tokens,
            "hidden": hidden,
        }
        self._report(name, {**call, **data}, source, peers, check)
        if quantisation:
            raise NotImplementedError(
                f"{name}: no reference numerics for quant_type {quantisation}"
            )
        total = peers.sum(source)
        if not fused:
            _write(call["output"], total)
            return
        bias = call.get("weight_bias") or 0.0
        normed, summed = residual_rms_norm(
            total, call["residual_in"], call["gamma"], call["epsilon"], bias
        )
        _write(call["residual_out"], summed)
        _write(call["output"], normed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def unknown(*_: Any, **__: Any) -> None:
            problem = "no reference for this kernel"
            self._machine.emit(REFUSED, name, problems=[problem])
            raise KernelRefusedError(name, [problem])

        return unknown

    def _bind(self, name: str, args: Sequence[Any]) -> dict[str, Any]:
        parameters = self._rows[name].parameters
        if len(args) > len(parameters):
            problem = f"{len(args)} arguments, and the seam knows {len(parameters)} parameters"
            self._machine.emit(REFUSED, name, problems=[problem])
            raise KernelRefusedError(name, [problem])
        return dict(zip(parameters, args, strict=False))

    def _report(
        self, name: str, facts: dict[str, Any], source: Tensor, peers: Peers, check: _Check
    ) -> None:
        event = {key: facts[key] for key in _REPORTED}
        event["dtype"] = str(source.dtype).removeprefix("torch.")
        event["ranks"] = list(peers.ranks)
        if check.problems:
            self._machine.emit(REFUSED, name, **event, problems=check.problems)
            raise KernelRefusedError(name, check.problems)
        self._machine.emit("kernel", name, **event)
        if self._machine.has_fault("kernel_raises"):
            raise RuntimeError(f"{name}: CUDA error: an illegal memory access (pretended)")


class _Check:
    """Collects what is wrong with one kernel call."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.problems: list[str] = []

    def _region(self, what: str, address: int) -> Region | None:
        region = self._machine.region_at(address) if address else None
        if not address:
            self.problems.append(f"{what} is null")
        elif region is None or not region.live:
            self.problems.append(f"{what} ({address:#x}) is not live memory")
        return region

    def shared(self, what: str, address: int, world: int) -> Peers:
        """``address`` must be memory shared with ``world`` peers; return them."""
        region = self._region(what, address)
        peers = region.peers if region is not None else None
        if region is not None and peers is None:
            self.problems.append(f"{what} is shared with nobody")
        if peers is not None and len(peers.ranks) < world:
            met = len(peers.ranks)
            self.problems.append(f"{what} is shared with {met} ranks, the kernel is told {world}")
        return peers or Peers((), "")

    def pointer_table(self, table: Tensor, world: int) -> Peers:
        """A TRT-LLM table: three areas of ``world`` pointers, then the control flag."""
        addresses = [int(address) for address in table]
        expected = 3 * world + 1
        if len(addresses) != expected:
            self.problems.append(f"{len(addresses)} workspace pointers, expected {expected}")
            return Peers((), "")
        found = [
            self.shared(f"workspace pointer {index}", address, world)
            for index, address in enumerate(addresses[:-1])
        ]
        self._region("the control flag", addresses[-1])
        return found[0]

    def part(self, table: Tensor, index: int) -> int:
        """Bytes of one peer's part of the area that pointer ``index`` opens; 0 if unknown."""
        region = self._machine.region_at(int(table[index])) if index < len(table) else None
        return region.stride if region is not None else 0

    def launch(self, source: Tensor, hidden: int, world: int, counts: Iterable[int]) -> None:
        """What the C++ launchers refuse: a data type, a row width, a rank count."""
        dtype = str(source.dtype).removeprefix("torch.")
        if dtype not in _DTYPES:
            self.problems.append(f"unsupported dtype {dtype}")
        if world not in counts:
            self.problems.append(f"unsupported world_size {world}")
        if hidden % (_VECTOR_BYTES // source.element_size()):
            self.problems.append(f"rows of {hidden} are not whole {_VECTOR_BYTES}-byte loads")

    def rank(self, rank: int, world: int) -> None:
        """The rank must be one of ``world``."""
        if not 0 <= rank < world:
            self.problems.append(f"rank {rank} of {world}")

    def present(self, call: dict[str, Any], names: Iterable[str]) -> None:
        """Arguments that the kernel dereferences must be there."""
        self.problems += [f"{name} is None" for name in names if call.get(name) is None]

    def flat(self, what: str, tensor: Tensor | None, count: int, like: Tensor) -> None:
        """A tensor that is given must have the size, type and layout that the kernel assumes."""
        if tensor is None:
            return
        if tensor.numel() != count:
            self.problems.append(f"{what} has {tensor.numel()} elements, expected {count}")
        if tensor.dtype != like.dtype:
            self.problems.append(f"{what} is {tensor.dtype}, the input is {like.dtype}")
        if not tensor.is_contiguous():
            self.problems.append(f"{what} is not contiguous")

    def fits(self, what: str, needed: int, available: int) -> None:
        """``needed`` bytes must fit."""
        if needed > available:
            self.problems.append(f"{what} has {available} bytes, the kernel writes {needed}")


def _write(target: Tensor | None, value: Tensor) -> None:
    if target is not None:
        target.copy_(value.reshape(target.shape))
