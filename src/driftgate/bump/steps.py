"""The steps to a verdict, in the order in which they are taken; each makes one value."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from driftgate.bump.calling import Problem, find_problems
from driftgate.bump.compare import Pair, compare
from driftgate.bump.context import Context
from driftgate.bump.dating import dated
from driftgate.bump.environment import withdrawn_or_unfit
from driftgate.bump.judge import judge, merged
from driftgate.bump.later import pointed
from driftgate.bump.model import Report
from driftgate.bump.pin import NoPinError, admitted_pythons, read_pin
from driftgate.bump.records import between, normalised, record_missing, require_order
from driftgate.bump.since import since_when
from driftgate.bump.stand import Stand, stand_for
from driftgate.bump.suite import Suite, run_suite
from driftgate.bump.uses import Locator, Uses, uses_in_text, uses_when_run
from driftgate.calls.check import check_calls
from driftgate.calls.rules import load_rules
from driftgate.consumers import OURS
from driftgate.insides.changes import changes
from driftgate.insides.target import load_insides_target
from driftgate.released.driven import choose_consumer
from driftgate.released.sources import find_sources
from driftgate.surface.releases import load_releases
from driftgate.surface.store import load_surface
from driftgate.wheels.provide import why_missing
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driftgate.bump.model import Line
    from driftgate.calls.check import CallReport
    from driftgate.index.settings import IndexSettings
    from driftgate.paths import Project
    from driftgate.released.sources import ConsumerSources
    from driftgate.surface.difference import Difference

_FILE = "file:"


@dataclass(frozen=True)
class Order:
    """What a maintainer asks for.

    Attributes:
        new: The release that the pin is to move to.
        old: The one that it is moved from; empty for the one declared.
        consumer: Who is to use it, as spelled.
        static: Whether nothing may be run.
        workers: Processes at a time.
    """

    new: str
    old: str = ""
    consumer: str = OURS
    static: bool = False
    workers: int = 1


@dataclass(frozen=True)
class Read:
    """What the records say, nothing run.

    Attributes:
        old: The release moved from.
        new: The release moved to.
        sources: The consumer's text.
        releases: All recorded releases between the two, both included.
        differences: Between the two.
        calls: The consumer's calls against all of them.
    """

    old: str
    new: str
    sources: ConsumerSources
    releases: tuple[str, ...]
    differences: tuple[Difference, ...]
    calls: CallReport


@dataclass(frozen=True)
class Ran:
    """What a run of the contracts showed.

    Attributes:
        suite: Its verdicts, and the calls that were seen.
        broken: What the new release breaks or changes.
        already: What is broken with the old one too.
        missing: Why the releases themselves were not run; empty where they were.
    """

    suite: Suite = field(default_factory=Suite)
    broken: tuple[Line, ...] = ()
    already: tuple[Line, ...] = ()
    missing: str = ""


def find_verdict(
    order: Order,
    stage: Project,
    settings: IndexSettings,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the verdict on ``order``; what is recorded and proposed meanwhile is in ``stage``.

    Args:
        order: What is asked for.
        stage: A copy of the project's data, that may be written to.
        settings: The index to ask for what is not recorded.
        tell: Told each step as it begins.

    Raises:
        DriftgateError: A release, the consumer or a data file cannot be used.
    """
    tell("reading records")
    read = read_records(order, stage, settings)
    tell("finding stubs")
    stands = tuple(stand_for(stage, release) for release in (read.old, read.new))
    run = Ran()
    if not order.static and read.old != read.new:
        tell("running contracts")
        run = run_contracts(order, stage, read, stands)
    tell("judging")
    return judge_all(stage, read, stands[1], run)


def read_records(order: Order, stage: Project, settings: IndexSettings) -> Read:
    """Read what is not recorded yet, compare the releases, and bind the consumer's calls."""
    sources = find_sources(order.consumer, stage.matrix, cache_folder(), settings)
    new = normalised(order.new)
    old = normalised(order.old) if order.old else _pinned(sources, stage)
    require_order(old, new, "give an older release with --from")
    record_missing(stage, list(dict.fromkeys((old, new))), settings)
    releases = tuple(between(stage, old, new))
    surfaces = [load_surface(stage.surfaces, release) for release in releases]
    # What moved is what moved against the old pin, whatever the consumer itself pins.
    calls = check_calls(replace(sources, pinned=old), surfaces, stage)
    differences = () if old == new else tuple(changes(stage, old, new))
    return Read(old, new, sources, releases, differences, calls)


def _pinned(sources: ConsumerSources, stage: Project) -> str:
    if sources.name == OURS or sources.name.startswith(_FILE):
        return read_pin(stage.root)
    if not sources.pinned:
        raise NoPinError(sources.name)
    return normalised(sources.pinned)


def run_contracts(order: Order, stage: Project, read: Read, stands: Sequence[Stand | None]) -> Ran:
    """Judge the consumer on what stands for both releases."""
    old, new = stands
    if old is None or new is None:
        return Ran()
    consumer = choose_consumer(order.consumer, stage)
    pairs = [Pair(f"stub:{old.stub}", f"stub:{new.stub}")]
    missing = why_missing(stage, (read.old, read.new))
    if not missing:
        pairs.append(Pair(f"wheel:{read.old}", f"wheel:{read.new}"))
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.old, pair.new)))
    suite = run_suite(stage, consumer, names, order.workers)
    broken, already = compare(suite, pairs)
    broken = dated(broken, stage, consumer, read.releases, order.workers)
    if consumer.name == OURS:
        broken = list(pointed(broken, stage, suite, read.new))
    return Ran(suite, tuple(broken), tuple(already), missing)


def judge_all(stage: Project, read: Read, stand: Stand | None, run: Ran) -> Report:
    """Put together what was read and what was run."""
    problems = find_problems(read.calls, read.old, read.releases)
    context = _context(stage, read, run.suite, [each for each in problems if not each.already])
    lines, unused = judge(read.differences, context)
    unfit = withdrawn_or_unfit(context)
    return Report(
        old=read.old,
        new=read.new,
        consumer=read.sources.name,
        lines=tuple(merged([*([unfit] if unfit else []), *run.broken, *lines])),
        already=(*run.already, *(each.line for each in problems if each.already)),
        unused=tuple(unused),
        ran=tuple(run.suite.upstreams),
        stub=stand.text if stand else "none",
        notes=tuple(_notes(read, run)),
    )


def _context(stage: Project, read: Read, suite: Suite, problems: list[Problem]) -> Context:
    rules = load_rules(stage.matrix)
    locator = Locator([load_surface(stage.surfaces, each) for each in (read.old, read.new)], rules)
    found = uses_in_text(read.calls.usage, read.sources.files, locator)
    insides = load_insides_target(stage.matrix / "insides.toml")
    return Context(
        uses=Uses([*found, *uses_when_run(suite.calls, locator)]),
        problems=tuple(problems),
        root=insides.root,
        row=load_releases(stage.matrix / "releases.toml")[read.new],
        python=".".join(platform.python_version_tuple()[:2]),
        pythons=admitted_pythons(stage.root),
        generic_since=insides.generic_since,
        since=since_when(read.differences, stage, read.releases),
    )


def _notes(read: Read, run: Ran) -> list[str]:
    notes = [run.missing] if run.missing else []
    named = sorted({str(call.site) for call in read.calls.usage.calls if call.unresolved})
    if named and not run.suite.upstreams:
        places = ", ".join(named)
        notes.append(f"what is sent at {places} is decided at run time, and nothing was run")
    return notes
