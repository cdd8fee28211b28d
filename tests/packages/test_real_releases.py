"""Real releases, where their files are in the cache: what public reports say of them.

``driftgate packages flashinfer-python==0.6.16`` puts one there; nothing is fetched by these tests.
"""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.index.settings import IndexSettings
from driftgate.packages.catalogue import IndexCatalogue
from driftgate.packages.errors import CannotTellError
from driftgate.packages.judge import gather
from driftgate.packages.rows import load_packages_target
from driftgate.packages.rules import all_rules
from driftgate.packages.spelling import spelled
from driftgate.released.errors import NoSuchReleaseError
from driftgate.wheels.store import cache_folder
from packages.pretended import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.packages.model import Breach

OFFLINE = IndexSettings(no_index=True)


def catalogue() -> IndexCatalogue:
    """What the cache holds."""
    target = load_packages_target(PROJECT.matrix / "packages.toml")
    return IndexCatalogue(PROJECT, target, cache_folder(), OFFLINE)


def told(rule: str, *installed: str, **more: Any) -> list[Breach]:
    """What a rule says of real releases, or a skip."""
    environment = spelled(installed, more.get("python", ""), more.get("variables"))
    try:
        seen = gather(environment, more.get("consumer", ""), PROJECT, catalogue())
        return list(all_rules()[rule].check(seen))
    except (CannotTellError, NoSuchReleaseError) as error:
        pytest.skip(f"not in the cache ({error}); `driftgate packages` puts it there")


@pytest.mark.parametrize("python", ["3.10", "3.11"])
def test_array_subscripts_fail_before_python_3_12(python: str) -> None:
    """0.6.16 cannot be imported there, .post4 can: reported, and seen by importing both."""
    rule = "imports_where_it_says"

    assert told(rule, "flashinfer-python==0.6.16", python=python)
    assert told(rule, "flashinfer-python==0.6.16.post4", python=python) == []
    assert told(rule, "flashinfer-python==0.6.16", python="3.12") == []


def test_a_report_that_compares_the_local_part() -> None:
    """0.6.16 calls its own kernels for CUDA 13 a mismatch, as was reported of it."""
    rule = "own_check_has_no_false_alarm"
    bad = told(rule, "flashinfer-python==0.6.16", "flashinfer-jit-cache==0.6.16+cu130")

    assert ["MISMATCH" in each.got for each in bad] == [True]
    good = told(rule, "flashinfer-python==0.7.2", "flashinfer-jit-cache==0.7.2+cu130")
    assert good == []


def test_a_checkout_that_cannot_tell_its_version() -> None:
    """The import raised in April 2026, beside kernels of a nightly build; later code lets it be."""
    rule = "own_check_has_no_false_alarm"
    unknown = "flashinfer-python==0.0.0+unknown"
    (bad,) = told(rule, unknown, "flashinfer-cubin==0.6.7.dev20260413")

    assert "RuntimeError" in bad.got
    assert told(rule, unknown, "flashinfer-cubin==0.6.10") == []


def test_a_comparison_of_beginnings_misses_a_mismatch() -> None:
    """``"0.6.11+cu129".startswith("0.6.1")`` is true; 0.7.2 wants the local part at once."""
    rule = "own_check_misses_nothing"

    assert told(rule, "flashinfer-python==0.6.1", "flashinfer-jit-cache==0.6.11+cu129")
    assert told(rule, "flashinfer-python==0.7.2", "flashinfer-jit-cache==0.7.20+cu130") == []
    assert told(rule, "flashinfer-python==0.6.1", "flashinfer-cubin==0.6.11") == []


def test_a_field_that_was_text(tmp_path: Path) -> None:
    """With nvidia-ml-py 12 the look for a fabric fails where the cluster's id begins with zero.

    That id is all zeros on a machine without a fabric, where ctypes returns empty bytes.
    """
    source = catalogue().files("nvidia-ml-py", "12.570.86").get("pynvml.py")
    if source is None:
        pytest.skip("not in the cache; `driftgate packages nvidia-ml-py==12.570.86` puts it there")
    file = tmp_path / "pynvml.py"
    file.write_text(source, encoding="utf-8")
    fabric = runpy.run_path(str(file))["c_nvmlGpuFabricInfoV_t"]()

    with pytest.raises(IndexError):
        fabric.clusterUuid[0]
    rule, main = "bindings_fit", "flashinfer-python==0.6.4"
    assert [each.site for each in told(rule, main, "nvidia-ml-py==12.570.86")] == [
        "flashinfer/comm/mnnvl.py:864"
    ]
    assert told(rule, main, "nvidia-ml-py==13.580.65") == []


def test_engines_and_their_pins() -> None:
    """SGLang 0.5.9 pins the kernels, vLLM 0.13.0 does not; both pin the Python."""
    rule = "companion_is_pinned"

    assert told(rule, "flashinfer-cubin", consumer="vllm==0.13.0")
    assert told(rule, "flashinfer-cubin", consumer="sglang==0.5.9") == []
    (skewed,) = told("companions_match", "flashinfer-cubin==0.6.1", consumer="vllm==0.13.0")
    assert skewed.expected == "0.5.3, as flashinfer-python is"


def test_an_extra_that_cannot_be_installed() -> None:
    """SGLang 0.5.4 requires torch 2.8.0, and 2.9.0 with its extra cu130; 0.5.4.post3 has one."""
    bad = told("pins_agree", consumer="sglang==0.5.4")

    assert {each.expected for each in bad} == {"one torch", "one torchaudio"}
    assert told("pins_agree", consumer="sglang==0.5.4.post3") == []


def test_headers_that_no_metadata_asks_for() -> None:
    """0.6.7 imports NVSHMEM's where it builds kernels, and requires it in no version; 0.6.8 not."""
    rule = "sensitive_ones_are_bounded"

    def about_nvshmem(version: str) -> list[Breach]:
        found = told(rule, f"flashinfer-python=={version}")
        return [each for each in found if "nvshmem" in each.got]

    assert about_nvshmem("0.6.7")
    assert about_nvshmem("0.6.8") == []


def test_fusion_that_turned_itself_on_under_deterministic_inference() -> None:
    """As sglang#24629 says of 0.5.11; 0.5.12 has its fix."""
    rule, option = "fusion_looks_before_it_is_on", "enable_deterministic_inference"

    assert any(option in each.expected for each in told(rule, consumer="sglang==0.5.11"))
    assert told(rule, consumer="sglang==0.5.12") == []
