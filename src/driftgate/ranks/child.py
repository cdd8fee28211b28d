"""What the forked processes do: one loads a consumer and an upstream, its children are ranks."""

from __future__ import annotations

import faulthandler
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.drive.logs import Recorder
from driftgate.drive.observe import Observer
from driftgate.drive.standins import AdapterGap
from driftgate.drive.upstream import Upstream
from driftgate.errors import DriftgateError
from driftgate.ranks.collectives import watch_collectives, watch_meetings
from driftgate.ranks.driver import choose_rank_driver
from driftgate.ranks.engine import RankEngine
from driftgate.ranks.journal import Journal
from driftgate.ranks.scripts import find_script
from driftgate.ranks.stage import RankStage
from driftgate.ranks.world import STACK_SIGNAL, run_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.ranks.cases import Case
    from driftgate.ranks.job import RankJob
    from driftgate.ranks.world import Place

_POLL = 0.005


def run_rank_job(job: RankJob, loaded: Callable[[], None]) -> Iterator[str]:
    """Load the consumer over the upstream, then yield one reply a case, as JSON.

    A reply holds ``case``, ``seconds`` and ``ranks``, or else only ``unusable``.

    Args:
        job: What to load, and the cases to drive it in.
        loaded: Called once loading is over.
    """
    observer, recorder = Observer(job.job.folders), Recorder()
    with recorder.installed():
        upstream = Upstream(job.job.folders, observer)
        try:
            stage = RankStage(choose_rank_driver(job.job), upstream, observer, recorder)
            upstream.load()
            stage.note("upstream", upstream.facts())
            stage.step("load", stage.driver.load)
        except (DriftgateError, AdapterGap) as error:
            yield json.dumps({"unusable": str(error)})
            return
        loaded()
        for case in job.cases:
            started = time.monotonic()
            ranks = run_world(case, Path(job.folder), job.job.limit, _Rank(stage, case))
            reply = {
                "case": case.id,
                "seconds": time.monotonic() - started,
                "ranks": [rank.as_dict() for rank in ranks],
            }
            yield json.dumps(reply)


class _Rank:
    """One rank's work in a case."""

    def __init__(self, stage: RankStage, case: Case) -> None:
        self._stage = stage
        self._case = case

    def __call__(self, place: Place) -> None:
        stage = self._stage
        stacks = place.stack.open("w", encoding="utf-8")
        faulthandler.register(STACK_SIGNAL, file=stacks, all_threads=True)
        os.chdir(place.folder)
        journal = Journal(place.journal)
        engine = RankEngine(self._case, place.rank, place.store)
        place.ready.touch()
        # A group is made on one rank before it is on another, which a death would keep waiting.
        wait_for_all(self._case, place, lambda other: other.ready)
        watch_collectives(journal)
        watch_meetings(stage.upstream, journal)
        stage.open(self._case, engine, journal)
        script: Any = find_script(self._case.script)
        if engine.group is not None and stage.ok():
            script.run(stage)
        journal.close(stage.leaks)
        place.done.touch()
        # One that left early would break its peers' connections.
        wait_for_all(self._case, place, lambda other: other.done)


def wait_for_all(case: Case, place: Place, sign: Callable[[Place], Path]) -> None:
    """Wait until every rank has given its sign, or is dead."""
    others = [replace(place, rank=rank) for rank in range(case.topology.world_size)]
    while not all(sign(other).exists() or other.done.exists() for other in others):
        time.sleep(_POLL)
