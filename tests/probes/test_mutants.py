"""A stub that is broken on purpose no longer answers as the stub that was not.

What the unbroken stub answers is what the release answers: `driftgate fidelity --behaviour`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from driftgate.probes.asking import ask
from driftgate.probes.compare import compare_records, compare_summaries, first_disagreement
from driftgate.probes.subject import PROBES, QUESTIONS, Answers, Subject

ROOT = Path(__file__).parents[2]
STUB = "v0_7_4"
SEAMS = ROOT / "matrix" / "seams.toml"
CORE = "_core/driftgate_stub_core"
COMM = f"{STUB}/flashinfer/comm"


@dataclass(frozen=True)
class Mutant:
    """One edit of a stub, or of the core behind it.

    Attributes:
        id: Its name.
        file: Below ``stubs/``.
        old: Text that occurs there.
        new: What it becomes.
        probe: One probe that must be answered otherwise; empty where a question must be.
    """

    id: str
    file: str
    old: str
    new: str
    probe: str = ""


MUTANTS = (
    Mutant(
        "a parameter less",
        f"{COMM}/allreduce.py",
        "    group: Optional[ProcessGroup] = None,\n",
        "",
        "create.trtllm.group-by-keyword",
    ),
    Mutant(
        "another default",
        f"{COMM}/allreduce.py",
        "launch_with_pdl: bool = False",
        "launch_with_pdl: bool = True",
        "reduce.trtllm.plain",
    ),
    Mutant(
        "a threshold one byte up",
        f"{COMM}/trtllm_mnnvl_ar.py",
        "MNNVL_ONE_SHOT_THRESHOLD = 1048576",
        "MNNVL_ONE_SHOT_THRESHOLD = 1048577",
    ),
    Mutant(
        "a threshold one byte down",
        f"{COMM}/trtllm_mnnvl_ar.py",
        "MNNVL_ONE_SHOT_THRESHOLD = 1048576",
        "MNNVL_ONE_SHOT_THRESHOLD = 1048575",
    ),
    Mutant(
        "a buffer one byte smaller",
        f"{CORE}/mnnvl.py",
        "needed <= self.buffer_size_bytes",
        "needed < self.buffer_size_bytes",
    ),
    Mutant(
        "a capacity one element smaller",
        f"{CORE}/trtllm.py",
        "elif token_num * hidden_dim > metadata",
        "elif token_num * hidden_dim >= metadata",
        f"fits.trtllm.{26}x{5120}",
    ),
    Mutant(
        "a warning not logged",
        f"{CORE}/trtllm.py",
        '_log_of_allreduce.warning("Workspace is insufficient',
        '_log_of_allreduce.info("Workspace is insufficient',
        "fits.trtllm.27x5120",
    ),
    Mutant(
        "a warning in other words",
        f"{CORE}/trtllm.py",
        "exceeds workspace max_token_num ",
        "is over workspace max_token_num ",
        "fits.trtllm.27x5120",
    ),
    Mutant(
        "another rendezvous",
        f"{STUB}/shape.toml",
        'mnnvl_rendezvous = "comm_backend"',
        'mnnvl_rendezvous = "backend_group"',
        "create.mnnvl.subgroup",
    ),
    Mutant(
        "memory that is freed",
        f"{STUB}/shape.toml",
        'trtllm_memory = "kept"',
        'trtllm_memory = "workspace"',
        "destroy.trtllm",
    ),
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    """Answers of the stub and of every mutant, by name."""
    folder = tmp_path_factory.mktemp("mutants")
    subjects = [subject("as it is", ROOT / "stubs")]
    for place, mutant in enumerate(MUTANTS):
        parts = (PROBES if mutant.probe else QUESTIONS,)
        subjects.append(subject(mutant.id, mutated(mutant, folder / str(place)), parts=parts))
    return {answer.subject: answer for answer in ask(subjects, SEAMS, 2)}


def subject(name: str, stubs: Path, **asked: Any) -> Subject:
    return Subject(name, (str(stubs / STUB), str(stubs / "_core")), **asked)


def mutated(mutant: Mutant, stubs: Path) -> Path:
    """Copy the stub and the core, with the edit."""
    for name in (STUB, "_core"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "stubs" / name, stubs / name, ignore=ignored)
    file = stubs / mutant.file
    text = file.read_text(encoding="utf-8")
    assert mutant.old in text
    file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    return stubs


def test_the_stub_answers_every_probe(answers: dict[str, Answers]) -> None:
    assert answers["as it is"].error == ""
    assert sum(summary["questions"] for summary in answers["as it is"].summaries) == 100_000


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_mutant_is_caught(answers: dict[str, Answers], mutant: Mutant) -> None:
    original, broken = answers["as it is"], answers[mutant.id]
    assert broken.error == ""

    differing = compare_records(original, broken)
    if mutant.probe:
        assert mutant.probe in differing
    else:
        assert compare_summaries(original, broken) != []


def test_the_first_question_that_differs_is_shown(tmp_path: Path) -> None:
    """Of a buffer of n bytes, the one that needs n: one token of n one-byte elements."""
    mutant = next(each for each in MUTANTS if each.id == "a buffer one byte smaller")
    stubs = mutated(mutant, tmp_path)
    block = 1  # an odd block is about MNNVL
    subjects = [subject("good", ROOT / "stubs", block=block), subject("bad", stubs, block=block)]
    both = {answer.subject: answer for answer in ask(subjects, SEAMS, 2)}

    ((said, got),) = first_disagreement(both["good"], both["bad"]).values()

    *question, good, needed = said
    assert (good, got[-2], needed) == (True, False, got[-1])
    assert question == got[:-2]
