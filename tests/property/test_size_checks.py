"""The module's answers and the upstream's are the same ones, over every shape that fuses.

Or over real releases: see ``property.upstreams``.

(a) what the validator accepts, the fast path does not refuse; (b) what is accepted, the validator
accepts; (c) the same while compiling; (d) TRT-LLM logs no refusal; (e) no exception leaves.
Where a workspace does not state its numbers, (d) cannot be, and (c) is a no.
"""

from __future__ import annotations

import contextlib
import functools
import io
import logging
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import assume, example, given
from torch._subclasses.fake_tensor import FakeTensorMode

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion import FlashInferWorkspaceManager
from fusion.stubs import Group
from property.strategies import QUESTIONS, Made, Problem
from property.upstreams import names, over

if TYPE_CHECKING:
    from driftgate.drive.loading import Controls

pytestmark = pytest.mark.property

BF16, FP32 = torch.bfloat16, torch.float32
SM100 = 100  # every backend runs there

# Worked on real releases: MNNVL's need is monotone neither in tokens nor in hidden size.
WORKED = [
    *((Made("mnnvl", 8, 9, 7168), Problem(tokens, 7168)) for tokens in (9, 10)),
    *((Made("mnnvl", 8, 4, 7168), Problem(tokens, 7168)) for tokens in (4, 6, 7, 9, 10, 24, 25)),
    (Made("mnnvl", 8, 10, 7168), Problem(10, 6552)),
    *((Made("mnnvl", 4, 26, 5120), Problem(*asked)) for asked in ((26, 4992), (27, 5120))),
    (Made("mnnvl", 8, 2048, 7168), Problem(2048, 7168, use_oneshot=True)),
    (Made("mnnvl", 8, 2048, 7168, use_oneshot=True), Problem(2048, 7168, use_oneshot=True)),
    (Made("trtllm", 4, 2048, 4096), Problem(1024, 8192)),
    (Made("trtllm", 4, 2048, 4096), Problem(2049, 4096)),
    (Made("trtllm", 4, 2048, 4096), Problem(8, 4096, FP32)),
]


class Refusals(logging.Handler):
    """Counts what TRT-LLM's validator says of a refusal: logged, or printed in early releases."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.printed = io.StringIO()
        logging.getLogger("flashinfer.comm.allreduce").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "insufficient" in record.getMessage()

    def total(self) -> int:
        return self.count + self.printed.getvalue().count("insufficient")


class Bench:
    """Workspaces over one upstream, each made once; and the questions that a test asks them."""

    def __init__(self, controls: Controls) -> None:
        controls.configure(sm=SM100, device_count=8, multicast=True, faults=())
        self.refusals = Refusals()
        self.manager = functools.cache(self._manager)
        self.fake = FakeTensorMode()

    def _manager(self, made: Made) -> FlashInferWorkspaceManager:
        group = Group(made.ranks, list(range(made.ranks)))
        settings = fusion.Settings(topology=fusion.Topology(sm=SM100), is_capturing=lambda: False)
        manager = FlashInferWorkspaceManager(settings)
        manager.initialize(
            made.ranks,
            0,
            made.tokens,
            made.hidden,
            backend=made.backend,
            dtype=made.dtype,
            use_oneshot=made.use_oneshot,
            device_group=group.device_group,
            cpu_group=group.cpu_group,
        )
        return manager

    def check(self, made: Made, asked: Problem) -> None:
        """All properties for one workspace and one problem."""
        with contextlib.redirect_stdout(self.refusals.printed):
            manager = self.manager(made)
            assume(manager.gate is not None)
            assert manager.gate is not None
            before = self.refusals.total()
            answer = manager.is_buffer_size_sufficient(
                asked.tokens, asked.hidden, asked.dtype, asked.use_oneshot
            )
            admitted = self.admits(manager, asked)
            if manager.gate.arithmetic is not None:
                assert self.refusals.total() == before, "(d) a refusal was logged"

            truth = verdict(manager, made, asked)
            assert answer == truth, "(a), (b): not the validator's answer"
            legal = is_legal(made, asked)
            assert admitted == (truth and legal), "admitted is what fits and is legal"

            compiled = self.compiling(manager, asked)
            if manager.gate.arithmetic is None:
                assert not any(compiled), "(c) without arithmetic the answer is no"
            else:
                assert compiled == (answer, admitted), "(c) not as in eager mode"

    def admits(self, manager: FlashInferWorkspaceManager, asked: Problem) -> bool:
        """Ask about a tensor of the problem's shape, which takes no memory."""
        assert manager.gate is not None
        with self.fake:
            tensor = torch.empty(asked.tokens, asked.hidden, dtype=asked.dtype)
        return manager.gate.admits(tensor, asked.use_oneshot)

    def compiling(self, manager: FlashInferWorkspaceManager, asked: Problem) -> tuple[bool, bool]:
        """Both answers as they are while ``torch.compile`` traces."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.compiler, "is_compiling", lambda: True)
            return (
                manager.is_buffer_size_sufficient(
                    asked.tokens, asked.hidden, asked.dtype, asked.use_oneshot
                ),
                self.admits(manager, asked),
            )


def verdict(manager: FlashInferWorkspaceManager, made: Made, asked: Problem) -> bool:
    """The validator's answer; a choice of strategy is counted here, by the workspace's bytes."""
    workspace = manager.workspace
    takes_hint = manager.gate is not None and manager.gate.size_check.takes_hint
    size = (made.ranks, asked.tokens, asked.hidden, asked.dtype)
    if made.backend != "mnnvl" or asked.use_oneshot is None or not takes_hint:
        names = ("tp_size", "num_tokens", "hidden_dim", "dtype")
        try:
            return bool(workspace.is_buffer_size_sufficient(**dict(zip(names, size, strict=True))))
        except TypeError:  # positional-only
            return bool(workspace.is_buffer_size_sufficient(*size))
    row = asked.hidden * asked.dtype.itemsize
    rounded = -(-asked.tokens // made.ranks) * made.ranks
    need = asked.tokens * made.ranks * row if asked.use_oneshot else 2 * rounded * row
    return need <= int(workspace.buffer_size_bytes)


def is_legal(made: Made, asked: Problem) -> bool:
    """Whether the kernel call would take it, from the upstream's dispatch and kernels."""
    if asked.tokens == 0 or asked.hidden * asked.dtype.itemsize % 16:
        return False
    if made.backend == "mnnvl-cutedsl":
        return asked.dtype == BF16
    if asked.dtype not in (BF16, torch.float16, FP32):
        return False
    if made.backend == "mnnvl":
        return True
    oneshot = asked.use_oneshot
    if oneshot is None:
        volume = asked.tokens * asked.hidden * 2 * made.ranks * asked.dtype.itemsize
        oneshot = volume / 1024 / 1024 <= {2: 512, 4: 64, 8: 42}[made.ranks]
    return oneshot or asked.tokens > made.ranks


def over_one_upstream(controls: Controls) -> None:
    bench = Bench(controls)

    @given(QUESTIONS)
    def ask(question: tuple[Made, Problem]) -> None:
        bench.check(*question)

    for question in WORKED:
        ask = example(question)(ask)
    ask()


@pytest.mark.parametrize("name", names())
def test_answers_are_the_validators(name: str) -> None:
    over(name, over_one_upstream)


def unlisted_ranks(controls: Controls) -> dict[int, Any]:
    bench = Bench(controls)
    counts = (1, 3, 5, 6, 7, 16)
    return {ranks: bench.manager(Made("trtllm", ranks, 64, 1024)).status.reason for ranks in counts}


@pytest.mark.parametrize("name", ["stub:v0_6_0", "stub:v0_7_4"])
def test_rank_counts_that_the_dispatch_does_not_list_are_refused(name: str) -> None:
    """It raises KeyError for them in every release, in the middle of the first forward pass."""
    unsupported = fusion.ReasonCode.UNSUPPORTED_RANK_COUNT

    assert over(name, unlisted_ranks) == {
        1: fusion.ReasonCode.SINGLE_RANK,
        **dict.fromkeys((3, 5, 6, 7, 16), unsupported),
    }
