"""What a grid shows, from verdicts made by hand."""

from __future__ import annotations

from pathlib import Path

from packaging.specifiers import SpecifierSet

from driftgate.consumers import Consumer
from driftgate.drive.job import Adapter
from driftgate.findings import Finding
from driftgate.grid.rules import GridRules
from driftgate.grid.selection import Line
from driftgate.grid.table import GridTable
from driftgate.grid.verdicts import Broken, PairVerdicts, VerdictStore

RELEASES = ("0.6.0", "0.6.1", "0.6.2")
RULES = GridRules(
    releases=SpecifierSet(),
    consumers={},
    environments=frozenset({"h100"}),
    on_pinned=frozenset({"h100_capture"}),
    works=frozenset({"keyword_not_taken"}),
    machines={"h100": "SM90"},
)
DASH = "\N{EN DASH}"


def _consumer(release: str, pinned: str, module: str) -> Consumer:
    path = Path(__file__).with_name(module)
    adapter = Adapter("engine", ((path.name, str(path)),), {}, {}, {})
    return Consumer(f"engine=={release}", "engine", path, adapter, pinned)


def _pair(*broken: str, activity: str = "active", error: str = "") -> PairVerdicts:
    return PairVerdicts(
        judged={"keyword_not_taken": ["h100"], "calls_log_nothing": ["h100"]},
        broken=tuple(Broken(each, "h100", Finding(each, "this", "that")) for each in broken),
        activity={"h100": activity},
        errors={"h100": error} if error else {},
    )


# 1.0 and 1.1 ship one module, 1.2 another that was repaired.
LINE = Line(
    "engine",
    (
        _consumer("1.0", "0.6.0", "test_table.py"),
        _consumer("1.1", "0.6.0", "test_table.py"),
        _consumer("1.2", "0.6.2", "test_spelling.py"),
    ),
)


def _table(pairs: dict[tuple[str, str], PairVerdicts]) -> GridTable:
    everything = {
        (consumer.name, release): _pair() for consumer in LINE.consumers for release in RELEASES
    }
    return GridTable(LINE, RELEASES, everything | pairs, RULES)


def test_releases_with_equal_modules_and_pins_share_a_row() -> None:
    """The row names the range, the pin, and where that module works."""
    bad = {("engine==1.0", "0.6.0"): _pair("keyword_not_taken")}

    old, new = _table(bad).works()

    assert (old.consumers, old.pinned, old.ranges) == (f"1.0{DASH}1.1", "0.6.0", {"h100": "≥0.6.1"})
    assert (new.consumers, new.pinned, new.ranges) == ("1.2", "0.6.2", {"h100": "all"})
    assert (old.on_pinned, new.on_pinned) == ({"h100": False}, {"h100": True})


def test_a_pin_outside_the_grid_is_neither_good_nor_bad() -> None:
    """Nothing is said of a release that was not judged."""
    table = GridTable(LINE, RELEASES[:2], {}, RULES)

    assert [row.on_pinned for row in table.works()] == [{"h100": False}, {"h100": None}]


def test_fusion_that_is_off_does_not_work() -> None:
    """Green because it switched itself off is not green."""
    off = {("engine==1.2", "0.6.2"): _pair(activity="degraded(unsaid)")}

    assert list(_table(off).works())[-1].ranges == {"h100": "≤0.6.1"}


def test_a_contract_that_is_not_about_working_does_not_count() -> None:
    """Noise is told among the defects."""
    noisy = {("engine==1.2", "0.6.2"): _pair("calls_log_nothing")}
    table = _table(noisy)

    assert list(table.works())[-1].ranges == {"h100": "all"}
    assert [defect.contract for defect in table.defects()] == ["calls_log_nothing"]


def test_a_defect_says_from_when_until_when_and_where() -> None:
    """First bad and first good consumer release, and the FlashInfer releases of each."""
    bad = {
        (f"engine=={version}", release): _pair("keyword_not_taken")
        for version in ("1.0", "1.1")
        for release in ("0.6.1", "0.6.2")
    }

    (defect,) = _table(bad).defects()

    assert (defect.first_bad, defect.first_good) == ("1.0", "1.2")
    (extent,) = defect.extents
    assert (extent.consumers, extent.releases) == (f"1.0{DASH}1.1", "≥0.6.1")
    assert (extent.environments, extent.finding.got) == (("h100",), "that")


def test_a_defect_of_the_newest_release_has_no_first_good() -> None:
    """It is in there still."""
    (defect,) = _table({("engine==1.2", "0.6.2"): _pair("keyword_not_taken")}).defects()

    assert (defect.first_bad, defect.first_good) == ("1.2", "")


def test_what_is_driven_on_the_pin_alone_is_told_so() -> None:
    """Each consumer release has another pin: they are told together."""
    capture = Broken("no_creation_under_capture", "h100_capture", Finding("x", "this", "that"))
    seen = PairVerdicts({"no_creation_under_capture": ["h100_capture"]}, (capture,), {}, {})
    places = [("1.0", "0.6.0"), ("1.1", "0.6.0"), ("1.2", "0.6.2"), ("1.2", "0.6.0")]

    (defect,) = _table({(f"engine=={one}", release): seen for one, release in places}).defects()

    (extent,) = defect.extents
    assert (extent.consumers, extent.releases) == (f"1.0{DASH}1.2", "the pinned release")


def test_what_died_is_told_once() -> None:
    """An adapter gap is named, with one of the cells and how many more there are."""
    gap = "adapter-gap: engine.state.get()"
    died = {("engine==1.2", release): _pair(error=gap) for release in RELEASES}

    assert list(_table(died).errors()) == [f"{gap} in engine==1.2 x 0.6.0 x h100 and 2 more"]


def test_verdicts_survive_the_store(tmp_path: Path) -> None:
    """What was kept is what comes back; a damaged file is nothing."""
    store = VerdictStore(tmp_path)
    kept = _pair("keyword_not_taken", error="killed")
    store.put("key", kept)

    assert store.get("key") == kept

    (tmp_path / "key.json").write_text("{}")
    assert store.get("key") is None
