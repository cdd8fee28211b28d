"""Each contract that runs one release, against a tree that breaks it and one that keeps it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.backtest.families import release
from driftgate.backtest.model import Case, Question
from driftgate.contracts.upstream import upstream_rules
from driftgate.errors import UnknownNameError
from driftgate.exercises import asking, exercise_names
from driftgate.findings import State
from driftgate.paths import find_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.backtest.model import Answer
    from driftgate.paths import Project

TREES = "tests/fixtures/upstream"
PROJECT = find_project(Path(__file__).parent)
RUN = [name for name, rule in upstream_rules().items() if rule.contract.exercises]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One that keeps nothing of earlier runs."""
    return replace(PROJECT, results=tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def answers(project: Project) -> dict[Question, Answer]:
    """What every tree of every contract comes to, all of them run in one go."""
    questions = [_question(name, kind) for name in RUN for kind in ("bad", "good")]
    return dict(release.ask(questions, project, 2))


def _question(contract: str, kind: str) -> Question:
    case = {"release": f"file:{TREES}/{contract}/{kind}"}
    return Question(contract, Case.of(case, release.KEYS))


@pytest.mark.parametrize("contract", RUN)
def test_the_bad_tree_is_caught(answers: dict[Question, Answer], contract: str) -> None:
    """A contract finds what it is for."""
    answer = answers[_question(contract, "bad")]

    assert answer.state is State.FAIL, answer.reason


@pytest.mark.parametrize("contract", RUN)
def test_the_good_tree_passes(answers: dict[Question, Answer], contract: str) -> None:
    """A contract finds nothing in a tree that keeps it."""
    answer = answers[_question(contract, "good")]

    assert answer.findings == ()
    assert answer.state is State.PASS, answer.reason


def test_every_exercise_is_judged() -> None:
    """No release is put through anything that no contract looks at."""
    wanted = {each for name in RUN for each in upstream_rules()[name].contract.exercises}

    assert set(exercise_names()) == wanted


def test_a_release_without_the_thing_shows_nothing(project: Project) -> None:
    """A tree that has no communicator neither keeps nor breaks the rule about communicators."""
    tree = f"file:{TREES}/import_needs_no_runtime/good"
    question = Question("communicator_roots_are_its_own", Case.of({"release": tree}, release.KEYS))
    ((_, answer),) = release.ask([question], project, 1)

    assert answer.state is State.NOT_RUN
    assert "TorchDistBackend" in answer.reason


def test_what_was_kept_is_not_played_again(
    project: Project, answers: dict[Question, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run of the same trees starts no process, and says the same."""

    def refuse(subjects: list[object], *_: object) -> Iterator[None]:
        assert subjects == []
        yield from ()

    monkeypatch.setattr(asking, "ask", refuse)

    assert dict(release.ask(list(answers), project, 2)) == answers


def test_a_tree_that_cannot_be_imported_shows_nothing(project: Project, tmp_path: Path) -> None:
    """A release is not blamed for what its import never let it do."""
    comm = tmp_path / "flashinfer" / "comm"
    comm.mkdir(parents=True)
    (comm / "__init__.py").write_text("raise TypeError('not here')\n", encoding="utf-8")
    question = Question(
        "import_needs_no_runtime", Case.of({"release": f"file:{tmp_path}"}, release.KEYS)
    )
    ((_, answer),) = release.ask([question], project, 1)

    assert answer.state is State.NOT_RUN
    assert "TypeError: not here" in answer.reason


@pytest.mark.parametrize(
    ("contract", "backend"),
    [("size_check_keeps_nothing", "nccl"), ("servers_share_no_socket", "trtllm")],
)
def test_a_backend_that_tells_nothing_is_refused(
    project: Project, contract: str, backend: str
) -> None:
    """A row that asks for what no evidence tells apart would be green for no reason."""
    tree = f"file:{TREES}/{contract}/bad"
    case = Case.of({"release": tree, "backend": backend}, release.KEYS)

    with pytest.raises(UnknownNameError):
        list(release.ask([Question(contract, case)], project, 1))


def test_one_backend_counts_alone(project: Project) -> None:
    """The tree makes one backend without multicast; the other falls over, and does not say why."""
    tree = f"file:{TREES}/multicast_only_where_used/good"
    contract = "confidential_computing_is_honoured"
    questions = [
        Question(contract, Case.of({"release": tree, "backend": backend}, release.KEYS))
        for backend in ("trtllm", "mnnvl")
    ]
    states = {
        question.case.get("backend"): answer.state
        for question, answer in release.ask(questions, project, 1)
    }

    assert states == {"trtllm": State.PASS, "mnnvl": State.FAIL}
