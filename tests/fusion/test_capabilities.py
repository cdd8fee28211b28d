from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from flashinfer_comm_fusion.binding import SignatureState
from flashinfer_comm_fusion.capabilities import Upstream, probe
from flashinfer_comm_fusion.status import ReasonCode, Refusal
from fusion import upstreams

if TYPE_CHECKING:
    from pathlib import Path


def refused() -> tuple[ReasonCode, str]:
    answer = probe()
    assert isinstance(answer, Refusal)
    return answer.reason, answer.detail


def found() -> Upstream:
    answer = probe()
    assert isinstance(answer, Upstream)
    return answer


def test_no_flashinfer_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    upstreams.uninstall(monkeypatch)

    assert refused()[0] is ReasonCode.NO_FLASHINFER


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"__init__.py": ""}, ReasonCode.COMM_MISSING),
        ({"comm/__init__.py": "import a_module_that_is_nowhere"}, ReasonCode.IMPORT_FAILED),
        ({"comm/__init__.py": "raise AttributeError('odd')"}, ReasonCode.IMPORT_FAILED),
        ({"comm/__init__.py": "assert False, 'libcudart is not loaded'"}, ReasonCode.IMPORT_FAILED),
        ({"comm/__init__.py": "raise OSError('undefined symbol')"}, ReasonCode.IMPORT_FAILED),
        ({"__init__.py": "raise RuntimeError('no driver')"}, ReasonCode.IMPORT_FAILED),
        ({"comm/__init__.py": "x = = 1"}, ReasonCode.IMPORT_FAILED),
        ({"comm/__init__.py": ""}, ReasonCode.NO_UNIFIED_API),
    ],
)
def test_a_package_that_cannot_be_used_is_a_reason_and_not_an_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], reason: ReasonCode
) -> None:
    for name, text in files.items():
        path = tmp_path / "flashinfer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("flashinfer", "flashinfer.comm"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()

    assert refused()[0] is reason


def test_control_c_during_the_import_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> Any:
        raise KeyboardInterrupt(name)

    monkeypatch.setattr(importlib, "import_module", interrupted)

    with pytest.raises(KeyboardInterrupt):
        probe()


def test_the_answer_is_kept(
    monkeypatch: pytest.MonkeyPatch, upstream: upstreams.FakeUpstream
) -> None:
    """A package that is repaired or broken later does not change the answer of this process."""
    assert isinstance(probe(), Upstream)

    upstreams.uninstall(monkeypatch)

    assert found().create == upstream.create


def test_the_newest_shape_is_read_whole(upstream: upstreams.FakeUpstream) -> None:
    answer = found()

    assert answer.version == "9.9.9"
    assert answer.create == upstream.create
    assert answer.torch_dist_backend is upstreams.TorchDistBackend
    capabilities = answer.capabilities
    assert capabilities.create_signature is SignatureState.READABLE
    assert capabilities.group
    assert capabilities.comm_backend
    assert capabilities.trigger_completion_at_end
    assert capabilities.torch_symmetric_memory
    assert not capabilities.cutedsl_option
    assert capabilities.torch_dist_backend.endswith(".TorchDistBackend")
    assert dict(capabilities.oneshot_mib) == {2: 512, 4: 64, 8: 42}


def test_absent_symbols_are_named(upstream: upstreams.FakeUpstream) -> None:
    del upstream.comm.allreduce_fusion

    assert refused() == (
        ReasonCode.NO_UNIFIED_API,
        "flashinfer.comm has no allreduce_fusion",
    )


def test_a_lazy_attribute_that_raises_is_an_absent_one(upstream: upstreams.FakeUpstream) -> None:
    """Module-level ``__getattr__`` imports on demand, and what it imports may be broken."""
    del upstream.comm.allreduce_fusion

    def lazy(name: str) -> Any:
        raise OSError(f"cannot load {name}")

    upstream.comm.__getattr__ = lazy

    assert refused()[0] is ReasonCode.NO_UNIFIED_API


def test_a_symbol_that_moved_is_found_in_a_loaded_submodule(
    upstream: upstreams.FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    home: Any = ModuleType("flashinfer.comm.elsewhere")
    home.create_allreduce_fusion_workspace = upstream.create
    monkeypatch.setitem(sys.modules, home.__name__, home)
    del upstream.comm.create_allreduce_fusion_workspace

    assert found().create == upstream.create


def test_the_upstreams_own_table_of_rank_counts_is_read(
    upstream: upstreams.FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    home: Any = ModuleType("flashinfer.comm.trtllm_ar")
    home._use_oneshot_heuristics = {2: 512, 6: 50}
    monkeypatch.setitem(sys.modules, home.__name__, home)

    assert found().capabilities.oneshot_mib == ((2, 512), (6, 50))
    assert upstream.created == []


@pytest.mark.usefixtures("upstream")
def test_a_table_that_is_none_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    home: Any = ModuleType("flashinfer.comm.trtllm_ar")
    home._use_oneshot_heuristics = {"two": 512}
    monkeypatch.setitem(sys.modules, home.__name__, home)

    assert dict(found().capabilities.oneshot_mib) == {2: 512, 4: 64, 8: 42}
