"""The observer writes calls down and changes nothing else."""

from __future__ import annotations

import gc
import inspect
import sys
import weakref
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from driftgate.drive.observe import Observer


class TRTLLMAllReduceFusionWorkspace:
    def is_buffer_size_sufficient(
        self, tp_size: int, num_tokens: int, hidden_dim: int, dtype: Any, use_oneshot: Any = None
    ) -> bool:
        return num_tokens <= 4

    def destroy(self) -> None:
        pass


class MNNVLAllReduceFusionWorkspace:
    @cache  # noqa: B019 - as the real one is
    def is_buffer_size_sufficient(
        self, tp_size: int, num_tokens: int, hidden_dim: int, dtype: Any, strategy: int = 0
    ) -> bool:
        return num_tokens <= 4


def create_allreduce_fusion_workspace(
    backend: str = "auto", *, world_size: int = 1
) -> TRTLLMAllReduceFusionWorkspace:
    return TRTLLMAllReduceFusionWorkspace()


@pytest.fixture
def comm(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A small ``flashinfer.comm``, whose classes are this test's own copies."""
    package, module = ModuleType("flashinfer"), ModuleType("flashinfer.comm")
    for cls in (TRTLLMAllReduceFusionWorkspace, MNNVLAllReduceFusionWorkspace):
        copied = {k: v for k, v in vars(cls).items() if k not in {"__dict__", "__weakref__"}}
        setattr(module, cls.__name__, type(cls.__name__, (), copied))
    module.create_allreduce_fusion_workspace = create_allreduce_fusion_workspace  # type: ignore[attr-defined]
    module.allreduce_fusion = map  # type: ignore[attr-defined] # a callable without a signature
    monkeypatch.setitem(sys.modules, "flashinfer", package)
    monkeypatch.setitem(sys.modules, "flashinfer.comm", module)
    return module


@pytest.fixture
def observer(comm: ModuleType) -> Observer:
    observer = Observer(("/upstream/",))
    observer.wrap()
    return observer


def test_a_call_is_written_down_by_parameter(comm: ModuleType, observer: Observer) -> None:
    """Arguments are told by parameter name, and which of them the caller named."""
    comm.create_allreduce_fusion_workspace("trtllm", world_size=4)

    (event,) = observer.take()
    assert event.args == {"backend": "trtllm", "world_size": 4}
    assert (event.by_keyword, event.outcome) == (("world_size",), "ok")
    assert event.site.startswith(__file__)


def test_a_call_that_does_not_bind_is_written_down(comm: ModuleType, observer: Observer) -> None:
    """A refused call still raises its TypeError, and is told as it was sent."""
    with pytest.raises(TypeError, match="no_such"):
        comm.create_allreduce_fusion_workspace("trtllm", no_such=1)

    (event,) = observer.take()
    assert (event.args, event.outcome) == ({"*0": "trtllm", "no_such": 1}, "TypeError")


@pytest.mark.parametrize("follow_wrapped", [True, False])
def test_signatures_stay(comm: ModuleType, observer: Observer, follow_wrapped: bool) -> None:
    """A consumer that probes sees what it would without the observer."""
    for watched, original in (
        (comm.create_allreduce_fusion_workspace, create_allreduce_fusion_workspace),
        (
            comm.TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient,
            TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient,
        ),
    ):
        assert inspect.signature(watched, follow_wrapped=follow_wrapped) == inspect.signature(
            original, follow_wrapped=follow_wrapped
        )


def test_a_callable_without_a_signature_is_left_alone(comm: ModuleType, observer: Observer) -> None:
    """Wrapping it would give it one."""
    assert comm.allreduce_fusion is map


def test_no_workspace_is_kept_alive(comm: ModuleType, observer: Observer) -> None:
    """Neither creation, nor a check, nor the harness's own question keeps a workspace."""
    workspace = comm.create_allreduce_fusion_workspace()
    workspace.is_buffer_size_sufficient(1, 2, 3, None)
    alive = weakref.ref(workspace)
    del workspace
    gc.collect()

    assert alive() is None


def test_the_harness_asks_around_the_cache(comm: ModuleType, observer: Observer) -> None:
    """A question of the harness leaves no event, and nothing in the upstream's cache."""
    workspace = comm.MNNVLAllReduceFusionWorkspace()
    observer.workspaces.append(weakref.ref(workspace))

    assert observer.ask_validator(4, 4, 8, None) is True  # type: ignore[arg-type]
    assert observer.ask_validator(4, 5, 8, None) is False  # type: ignore[arg-type]
    assert observer.take() == ()
    assert type(workspace).is_buffer_size_sufficient.cache_info().currsize == 0


def test_methods_can_be_given_back(comm: ModuleType, observer: Observer) -> None:
    """For Dynamo the workspaces have their own methods again."""
    observer.unwrap_methods()

    assert (
        comm.TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient
        is TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient
    )
