"""Small consumers against the recorded surfaces; the releases are those of dated bug reports."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from packaging.version import Version

from driftgate.calls.binding import BREAKING, Verdict, bind
from driftgate.calls.facts import ReleaseFacts
from driftgate.calls.model import Source
from driftgate.calls.ranges import compress
from driftgate.calls.reading import read_usage
from driftgate.calls.rules import CallRules, load_rules
from driftgate.surface.store import load_surfaces

MATRIX = Path(__file__).parents[2] / "matrix"
BASE = 'backend="trtllm", world_size=4, rank=0, max_token_num=8, hidden_dim=64, dtype=None'


@pytest.fixture(scope="module")
def rules() -> CallRules:
    return load_rules(MATRIX)


@pytest.fixture(scope="module")
def facts(rules: CallRules) -> dict[str, ReleaseFacts]:
    surfaces = load_surfaces(MATRIX / "surfaces")
    return {name: ReleaseFacts(surface, rules) for name, surface in surfaces.items()}


def ranges(
    text: str, rules: CallRules, facts: dict[str, ReleaseFacts], pinned: str = ""
) -> dict[tuple[str, Verdict, str], str]:
    """Over which releases since the unified API each verdict holds, by symbol and parameter."""
    source = Source("engine.py", "import flashinfer.comm as comm\n" + dedent(text))
    usage = read_usage([source], rules.module, rules.distinctive)
    unified = [name for name in facts if Version(name) >= Version("0.6.0")]
    found = [
        binding
        for name in unified
        for binding in bind(usage, facts[name], rules, facts.get(pinned))
    ]
    return {
        (row.symbol, row.verdict, row.parameter): row.ranges for row in compress(found, unified)
    }


def test_no_release_takes_use_fp32_lamport(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """The keyword that turns fusion off for good in float32."""
    text = f"""
        def start(fp32, group, comm_backend):
            kw = dict({BASE}, comm_backend=comm_backend)
            if fp32:
                kw["use_fp32_lamport"] = True
            comm.create_allreduce_fusion_workspace(**kw)
        """

    found = ranges(text, rules, facts)

    key = ("create_allreduce_fusion_workspace", Verdict.REJECTS, "use_fp32_lamport")
    assert found[key] == "0.6.0–0.7.4"  # noqa: RUF001 - as printed


def test_group_is_missed_from_the_first_release_that_takes_it(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """A consumer that never sends ``group`` is fine up to 0.6.10 and wrong after."""
    text = f"""
        def start(comm_backend):
            comm.create_allreduce_fusion_workspace({BASE}, comm_backend=comm_backend)
        """

    found = ranges(text, rules, facts)

    symbol = "create_allreduce_fusion_workspace"
    assert found[symbol, Verdict.ACCEPTS, ""] == "0.6.0–0.6.10"  # noqa: RUF001
    assert found[symbol, Verdict.UNSENT, "group"] == "0.6.10.post1–0.7.4"  # noqa: RUF001


def test_sending_the_trigger_always_breaks_before_it_came(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """``trigger_completion_at_end`` came in 0.6.8; asking first is right everywhere."""
    always = """
        def run(x, w, p):
            comm.allreduce_fusion(
                input=x, workspace=w, pattern=p, trigger_completion_at_end=False
            )
        """
    asks = """
        import inspect
        takes = "trigger_completion_at_end" in inspect.signature(comm.allreduce_fusion).parameters
        def run(x, w, p):
            kw = {"trigger_completion_at_end": False} if takes else {}
            comm.allreduce_fusion(input=x, workspace=w, pattern=p, **kw)
        """

    symbol, name = "allreduce_fusion", "trigger_completion_at_end"
    bad, good = ranges(always, rules, facts), ranges(asks, rules, facts)

    assert bad[symbol, Verdict.REJECTS, name] == "0.6.0–0.6.7.post3"  # noqa: RUF001
    assert good == {(symbol, Verdict.ACCEPTS, ""): "0.6.0–0.7.4"}  # noqa: RUF001


def test_the_trigger_went_in_as_the_fifth_positional_parameter(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """A call written for 0.6.7 gives its fifth argument to another parameter from 0.6.8 on."""
    by_position = "def run(x, w, p, out):\n    comm.allreduce_fusion(x, w, p, True, out)\n"
    by_keyword = """
        def run(x, w, p, out):
            comm.allreduce_fusion(input=x, workspace=w, pattern=p, launch_with_pdl=True, output=out)
        """
    symbol = "allreduce_fusion"

    bad = ranges(by_position, rules, facts, "0.6.7")
    good = ranges(by_keyword, rules, facts, "0.6.7")

    assert bad[symbol, Verdict.SHIFTED, "output"] == "0.6.8–0.7.4"  # noqa: RUF001
    assert bad[symbol, Verdict.ACCEPTS, ""] == "0.6.0–0.6.7.post3"  # noqa: RUF001
    assert good[symbol, Verdict.ACCEPTS_BY_KEYWORD, "output"] == "0.6.8–0.7.4"  # noqa: RUF001


def test_the_size_checks_dialects(rules: CallRules, facts: dict[str, ReleaseFacts]) -> None:
    """``use_oneshot`` is TRT-LLM's word; MNNVL's has been ``strategy`` in every release."""
    text = f"""
        class Manager:
            def start(self, group, comm_backend):
                self.workspace = comm.create_allreduce_fusion_workspace(
                    {BASE}, comm_backend=comm_backend
                )
            def fits(self, tokens, oneshot):
                return self.workspace.is_buffer_size_sufficient(
                    tp_size=4, num_tokens=tokens, hidden_dim=64, dtype=None, use_oneshot=oneshot
                )
        """

    found = ranges(text, rules, facts)

    method = "is_buffer_size_sufficient"
    mnnvl = (f"MNNVLAllReduceFusionWorkspace.{method}", Verdict.REJECTS, "use_oneshot")
    trtllm = (f"TRTLLMAllReduceFusionWorkspace.{method}", Verdict.ACCEPTS, "")
    assert found[mnnvl] == "0.6.0–0.7.4"  # noqa: RUF001
    assert found[trtllm] == "0.6.0–0.7.4"  # noqa: RUF001


def test_a_moved_class_that_is_exported_again_is_no_break(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """``TorchDistBackend`` moved in 0.6.16; its old place still hands it out."""
    text = """
        from flashinfer.comm.mnnvl import TorchDistBackend
        def start(group):
            return TorchDistBackend(group=group)
        """

    found = ranges(text, rules, facts)

    assert found == {("TorchDistBackend", Verdict.ACCEPTS, ""): "0.6.0–0.7.4"}  # noqa: RUF001


def test_a_renumbered_layout_that_lost_a_name(
    rules: CallRules, facts: dict[str, ReleaseFacts]
) -> None:
    """0.2.14 split ``SWIZZLED`` into two: the old name is missing from then on."""
    source = Source(
        "engine.py",
        "import flashinfer.comm as comm\nCODE = comm.QuantizationSFLayout.SWIZZLED\n",
    )
    usage = read_usage([source], rules.module, rules.distinctive)

    broken = [
        name
        for name in ("0.2.13", "0.2.14", "0.7.4")
        if any(one.verdict in BREAKING for one in bind(usage, facts[name], rules))
    ]

    assert broken == ["0.2.14", "0.7.4"]
