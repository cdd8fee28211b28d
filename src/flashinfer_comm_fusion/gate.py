"""The decision itself: may this input go to the fused kernels?

It is asked twice a layer at every decode step, so all it needs was worked out when the workspace
was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from flashinfer_comm_fusion.status import describe, logger

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.arithmetic import Arithmetic
    from flashinfer_comm_fusion.capabilities import Upstream
    from flashinfer_comm_fusion.dialect import SizeCheck
    from flashinfer_comm_fusion.legality import Legality


@dataclass(eq=False)
class Gate:
    """Everything that is known of one live workspace.

    Two questions are kept apart. *Fits* is about size, and is the validator's to answer; *legal*
    is about what the kernel call would reject although the validator accepts it.

    Attributes:
        upstream: Where the workspace came from.
        workspace: The upstream's workspace.
        backend: Its backend.
        world_size: Ranks that it was made for.
        group_key: ``(device_group, cpu_group)`` that it was made over.
        device: Where its buffers are; None where it does not say.
        size_check: Its validator.
        arithmetic: The validator's arithmetic; None where it is not known for certain.
        refuse_first: The arithmetic is asked before the validator, whose refusals are logged.
        legality: What its kernels take.
        size_check_failed: The validator has raised, and that was logged.
    """

    upstream: Upstream
    workspace: Any
    backend: str
    world_size: int
    group_key: tuple[ProcessGroup | None, ProcessGroup | None]
    device: torch.device | None
    size_check: SizeCheck
    arithmetic: Arithmetic | None
    refuse_first: bool
    legality: Legality
    size_check_failed: bool = False

    def fits(
        self, tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None = None
    ) -> bool:
        """Whether the workspace is large enough; the validator's answer, and never another.

        While ``torch.compile`` traces, the upstream must not be traced into, and the arithmetic
        answers for it; without arithmetic the answer is then no. A choice that the validator
        cannot be told is left out of the question.
        """
        if not self.size_check.takes_hint:
            use_oneshot = None
        arithmetic = self.arithmetic
        if torch.compiler.is_compiling():
            return arithmetic is not None and arithmetic.fits(tokens, hidden, dtype, use_oneshot)
        if (
            self.refuse_first
            and arithmetic is not None
            and not arithmetic.fits(tokens, hidden, dtype, use_oneshot)
        ):
            return False
        try:
            return self.size_check.ask(tokens, hidden, dtype, use_oneshot)
        except Exception as error:  # noqa: BLE001 - the upstream may raise anything; no answer is a no
            self._note_failed_check(error)
            return False

    def admits(self, input_: torch.Tensor, use_oneshot: bool | None = None) -> bool:
        """Whether the kernels may be given ``input_``, of shape [tokens, hidden]."""
        if input_.ndim != 2 or not input_.is_contiguous():  # noqa: PLR2004 - [tokens, hidden]
            return False
        if self.device is not None and input_.device != self.device:
            return False
        tokens, hidden = input_.shape
        dtype = input_.dtype
        return self.legality.allows(tokens, hidden, dtype, use_oneshot) and self.fits(
            tokens, hidden, dtype, use_oneshot
        )

    def _note_failed_check(self, error: Exception) -> None:
        if not self.size_check_failed:
            self.size_check_failed = True
            logger.warning(
                "size check raised: %s said %s; taken for a refusal, and not logged again",
                self.size_check.described,
                describe(error),
            )
