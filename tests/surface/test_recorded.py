"""The recorded surfaces against facts found by running the real releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.surface.diff import diff
from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.model import Class, Constant, Function, Surface
from driftgate.surface.releases import load_releases
from driftgate.surface.store import groups, load_surfaces
from driftgate.surface.target import load_target

MATRIX = Path(__file__).parents[2] / "matrix"
CREATE = "flashinfer.comm:create_allreduce_fusion_workspace"
FUSED = "flashinfer.comm:allreduce_fusion"
PATTERN = "flashinfer.comm:AllReduceFusionPattern"
MNNVL = "flashinfer.comm:MNNVLAllReduceFusionWorkspace"
TRTLLM = "flashinfer.comm:TRTLLMAllReduceFusionWorkspace"


@pytest.fixture(scope="module")
def surfaces() -> dict[str, Surface]:
    return load_surfaces(MATRIX / "surfaces")


def function(surface: Surface, name: str) -> Function:
    definition = surface.symbols[name].definition
    assert isinstance(definition, Function)
    return definition


def method(surface: Surface, name: str, member: str) -> Function:
    definition = surface.symbols[name].definition
    assert isinstance(definition, Class)
    found = definition.members[member]
    assert isinstance(found, Function)
    return found


def first_with(surfaces: dict[str, Surface], name: str, param: str) -> str:
    """The first release in which the function ``name`` takes ``param``."""
    for release, surface in surfaces.items():
        definition = surface.symbols[name].definition
        if isinstance(definition, Function) and definition.param(param):
            return release
    raise AssertionError(param)


def test_every_recorded_release_has_a_row_and_every_watched_symbol(
    surfaces: dict[str, Surface],
) -> None:
    """Surfaces, rows and the target file agree on what there is."""
    target = load_target(MATRIX / "target.toml")
    rows = load_releases(MATRIX / "releases.toml")

    assert list(rows) == list(surfaces)
    assert all(len(row.sha256) == 64 and row.uploaded for row in rows.values())
    assert next(iter(surfaces)) == target.first_release
    for surface in surfaces.values():
        assert list(surface.symbols) == [row.id for row in target.watched]


@pytest.mark.parametrize(
    ("name", "param", "first"),
    [
        (CREATE, "comm_backend", "0.6.0"),
        (CREATE, "group", "0.6.10.post1"),
        (CREATE, "config", "0.7.2.post1"),
        (FUSED, "trigger_completion_at_end", "0.6.8"),
        (FUSED, "block_quant_group_size", "0.6.11"),
        (FUSED, "weight_bias", "0.6.12"),
        (FUSED, "moe_finalize_backend", "0.7.1"),
    ],
)
def test_parameters_appear_when_they_did(
    surfaces: dict[str, Surface], name: str, param: str, first: str
) -> None:
    """As ``inspect.signature`` said on the installed releases."""
    assert first_with(surfaces, name, param) == first


def test_use_fp32_lamport_is_taken_by_no_unified_release(surfaces: dict[str, Surface]) -> None:
    """Upstream derives it from the dtype; sending it is a TypeError everywhere."""
    unified = [s for s in surfaces.values() if s.symbols[CREATE].definition]

    assert len(unified) >= 39
    assert not any(function(s, CREATE).param("use_fp32_lamport") for s in unified)


def test_trigger_went_in_as_fifth_positional(surfaces: dict[str, Surface]) -> None:
    """A caller that passes ``output`` by position breaks there."""
    found = [
        item
        for item in diff(surfaces["0.6.7.post3"], surfaces["0.6.8"])
        if item.where == "(trigger_completion_at_end)"
    ]

    assert [(item.kind, item.level, item.note) for item in found] == [
        (Kind.PARAM_INSERTED, Level.SAFE_BY_KEYWORD, "position 5, before output")
    ]


def test_size_checks_speak_two_dialects_in_every_unified_release(
    surfaces: dict[str, Surface],
) -> None:
    """TRT-LLM takes ``use_oneshot``, MNNVL takes ``strategy``, within the same release."""
    for surface in surfaces.values():
        if surface.symbols[CREATE].definition:
            check = "is_buffer_size_sufficient"
            assert method(surface, TRTLLM, check).params[-1].name == "use_oneshot"
            assert method(surface, MNNVL, check).params[-1].name == "strategy"
            assert method(surface, MNNVL, check).decorators == ("functools.cache",)


def test_patterns_are_numbered_on_without_renumbering(surfaces: dict[str, Surface]) -> None:
    """Values are sent to kernels: 8 and 9 in 0.6.11, 10 and 11 in 0.6.15, 12, then 13 and 14."""
    counts = {}
    for release in ("0.6.10.post1", "0.6.11", "0.6.15", "0.7.2.post1", "0.7.4"):
        pattern = surfaces[release].symbols[PATTERN].definition
        assert isinstance(pattern, Class)
        values = [int(m.value or "") for m in pattern.members.values() if isinstance(m, Constant)]
        assert values == list(range(len(values)))
        counts[release] = len(values)

    assert counts == {"0.6.10.post1": 8, "0.6.11": 10, "0.6.15": 12, "0.7.2.post1": 13, "0.7.4": 15}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flashinfer.comm.trtllm_mnnvl_ar:MNNVL_ONE_SHOT_THRESHOLD", 64 * 1024 * 8 * 2),
        ("flashinfer.comm.trtllm_ar:MAX_COMM_SIZE", 2**31 - 2 * 1024 * 1024),
        ("flashinfer.comm.trtllm_ar:_use_oneshot_heuristics", {2: 512, 4: 64, 8: 42}),
    ],
)
def test_constants_are_values(surfaces: dict[str, Surface], name: str, value: object) -> None:
    """Thresholds and tables are recorded as what they evaluate to."""
    definition = surfaces["0.7.4"].symbols[name].definition

    assert isinstance(definition, Constant)
    assert definition.value == repr(value)


def test_the_backend_class_moved_and_is_still_handed_on(surfaces: dict[str, Surface]) -> None:
    """From 0.6.16 on it is defined elsewhere, and reached by the old name."""
    name = "flashinfer.comm.mnnvl:TorchDistBackend"

    assert surfaces["0.6.15"].symbols[name].defined_in == name
    assert surfaces["0.6.16"].symbols[name].defined_in == (
        "flashinfer.comm.comm_backend:TorchDistBackend"
    )


def test_only_a_module_tells_the_release_that_rendezvouses_over_world(
    surfaces: dict[str, Surface],
) -> None:
    """0.6.9 and 0.6.10 take the same parameters."""
    found = diff(surfaces["0.6.9"], surfaces["0.6.10"])
    breaking: list[Difference] = [item for item in found if item.level is not Level.COSMETIC]

    assert {item.symbol.partition(":")[0] for item in breaking} == {
        "flashinfer.comm.torch_symmetric_memory"
    }


def test_releases_group_as_their_api_changed(surfaces: dict[str, Surface]) -> None:
    """Since the unified API, a group begins where a signature, a value or a place changed."""
    firsts = [members[0] for members in groups(surfaces.values())]

    assert firsts[firsts.index("0.6.0") : firsts.index("0.7.4") + 1] == [
        "0.6.0",
        "0.6.1",  # @flashinfer_api
        "0.6.8",
        "0.6.10",
        "0.6.10.post1",
        "0.6.11",
        "0.6.12",
        "0.6.15",
        "0.6.16",
        "0.6.18",
        "0.7.1",
        "0.7.2.post1",
        "0.7.4",
    ]
