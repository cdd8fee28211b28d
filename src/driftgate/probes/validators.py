# ruff: noqa: ANN401 - the upstream's own classes
"""Ask an upstream's validators a great many seeded questions, and sum the answers up.

A stub and a release cannot be in one process: both are ``flashinfer``. So both are asked the same
questions, each in its own process, and what is compared are digests, one for each block of
questions. Of a block that differs, all answers can be asked for.
"""

from __future__ import annotations

import hashlib
import io
import logging
import random
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from driftgate.probes.model import Ref, Scene
from driftgate.probes.stage import staged
from driftgate.probes.values import Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.drive.loading import Controls

QUESTIONS = 100_000  # a release
_BLOCK = 2_500  # questions about one workspace
_SEED = 20260131
_THRESHOLD = 1 << 20  # bytes, up to which MNNVL picks one-shot; boundaries lie around it
_ITEMSIZE = {"bfloat16": 2, "float16": 2, "float32": 4, "int8": 1}
_DTYPES = tuple(_ITEMSIZE)
_RANKS = (1, 2, 3, 4, 6, 8, 16)
# Sizes that models have, and sizes that allocate exactly or just over a granule.
_MADE = (
    (1, 16),
    (4, 7168),
    (10, 7168),
    (26, 5120),
    (64, 4096),
    (128, 2880),
    (512, 1024),
    (2048, 4096),
)


@dataclass(frozen=True)
class Block:
    """Questions about one workspace.

    Attributes:
        backend: The workspace's backend.
        ranks: How many ranks it is made for.
        tokens: How many tokens.
        hidden: Which hidden size.
        dtype: Name of its torch dtype.
        seed: Of the questions.
    """

    backend: str
    ranks: int
    tokens: int
    hidden: int
    dtype: str
    seed: int

    def __str__(self) -> str:
        size = f"{self.tokens} x {self.hidden} {self.dtype}"
        return f"{self.backend} made for {self.ranks} ranks, {size}"


@dataclass(frozen=True)
class Summary:
    """What was answered to one block.

    Attributes:
        block: The block.
        size: What the workspace says of its size; the boundaries follow from it.
        questions: How many there were.
        yes: How many questions were answered with yes; one that is never so asks nothing.
        digest: Of questions and answers.
    """

    block: str
    size: int
    questions: int
    yes: int
    digest: str


def blocks() -> tuple[Block, ...]:
    """The blocks of :data:`QUESTIONS` questions, half of them to each backend."""
    draw = random.Random(_SEED)  # noqa: S311 - no secrets
    count = QUESTIONS // _BLOCK
    return tuple(
        Block(
            ("trtllm", "mnnvl")[index % 2],
            draw.choice((2, 4, 8)),
            *_MADE[index // 2 % len(_MADE)],
            dtype=draw.choice(("bfloat16", "bfloat16", "float16", "float32")),
            seed=index,
        )
        for index in range(count)
    )


Question = tuple[int, int, int, str, str]  # ranks, tokens, hidden size, dtype, strategy
Answer = tuple[Any, ...]


def ask_all(comm: Any, controls: Controls) -> list[dict[str, Any]]:
    """Ask every block; return the summaries as plain values.

    Args:
        comm: The ``flashinfer.comm`` in this process.
        controls: Of that upstream.
    """
    with _asking(comm, controls) as make:
        return [asdict(_summarise(comm, block, make(block))) for block in blocks()]


def ask_one(comm: Any, controls: Controls, index: int) -> list[list[Any]]:
    """Ask one block; return each question with its answer."""
    block = blocks()[index]
    with _asking(comm, controls) as make:
        return [[*question, *answer] for question, answer in _answers(comm, block, make(block))]


@contextmanager
def _asking(comm: Any, controls: Controls) -> Iterator[Callable[[Block], Any]]:
    """Give a function that makes a block's workspace; drop what is logged or printed."""
    scene = Scene(world=max(_RANKS), ranks=tuple(range(max(_RANKS))))

    def make(block: Block) -> Any:
        values = Values(comm, replace(scene, ranks=scene.ranks[: block.ranks]))
        arguments = {
            "backend": block.backend,
            "world_size": block.ranks,
            "rank": 0,
            "max_token_num": block.tokens,
            "hidden_dim": block.hidden,
            "dtype": getattr(torch, block.dtype),
            "comm_backend": Ref.COMM,
            "group": Ref.GROUP_WHERE_TAKEN,
        }
        return comm.create_allreduce_fusion_workspace(**values.make_all(arguments, None))

    with staged(scene, controls), redirect_stdout(io.StringIO()):
        logging.disable()
        yield make
        logging.disable(logging.NOTSET)


def _summarise(comm: Any, block: Block, workspace: Any) -> Summary:
    digest = hashlib.sha256()
    count = yes = 0
    for question, answer in _answers(comm, block, workspace):
        digest.update(f"{question}{answer}".encode())
        count += 1
        yes += answer[0] is True
    return Summary(str(block), _size(workspace), count, yes, digest.hexdigest()[:16])


def _size(workspace: Any) -> int:
    """Elements that a TRT-LLM workspace holds, or bytes of an MNNVL workspace's buffer."""
    if workspace.backend == "mnnvl":
        return int(workspace.buffer_size_bytes)
    return int(workspace.metadata["max_token_num"] * workspace.metadata["hidden_dim"])


def _answers(comm: Any, block: Block, workspace: Any) -> Iterator[tuple[Question, Answer]]:
    fits = workspace.is_buffer_size_sufficient
    dtypes = {name: getattr(torch, name) for name in _DTYPES}
    questions = _questions(block, _size(workspace))
    if block.backend == "trtllm":
        for question in questions:
            ranks, tokens, hidden, dtype, _ = question
            yield question, (fits(ranks, tokens, hidden, dtypes[dtype]),)
        return
    strategies = comm.trtllm_mnnvl_ar.MNNVLAllreduceFusionStrategy
    required = type(workspace).get_required_buffer_size_bytes
    for question in questions:
        ranks, tokens, hidden, dtype, strategy = question
        asked = (ranks, tokens, hidden, dtypes[dtype], strategies[strategy])
        yield question, (fits(*asked), required(*asked))


def _questions(block: Block, size: int) -> Iterator[Question]:
    """Draw questions, every other one at a boundary: of the workspace, or of one-shot.

    Args:
        block: What they are about.
        size: Elements that a TRT-LLM workspace holds, or bytes of an MNNVL workspace's buffer.
    """
    draw = random.Random(block.seed)  # noqa: S311 - no secrets
    choice, bits = draw.choice, draw.getrandbits
    for index in range(_BLOCK):
        ranks = block.ranks if bits(2) else choice(_RANKS)
        dtype = block.dtype if bits(2) else choice(_DTYPES)
        strategy = choice(("AUTO", "AUTO", "ONESHOT", "TWOSHOT"))
        if index % 2:
            yield ranks, bits(1 + bits(4)), 1 + bits(1 + bits(4)), dtype, strategy
            continue
        edge, step = choice((size, _THRESHOLD)), choice((-1, 0, 1))
        if not bits(2):
            # One token of one-byte elements on one rank needs any number of bytes there is.
            yield 1, 1, edge + step, "int8", strategy
            continue
        hidden = max(1, choice((block.hidden, block.hidden - 8, block.hidden + 8, bits(13))))
        width = 1 if block.backend == "trtllm" else ranks * _ITEMSIZE[dtype]
        yield ranks, max(0, edge // (width * hidden) + step), hidden, dtype, strategy
