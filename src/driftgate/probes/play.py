# ruff: noqa: ANN401 - the upstream's own objects go in and come out
"""Play every probe in this process, which holds one upstream, and write down what happened."""

from __future__ import annotations

import contextlib
import gc
import importlib
import warnings
from itertools import groupby
from typing import TYPE_CHECKING, Any

from driftgate.drive.logs import Recorder
from driftgate.probes.model import Call
from driftgate.probes.stage import staged
from driftgate.probes.values import Values, digest, plain, without_addresses
from driftgate.wheels.kernels import KernelRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from driftgate.drive.loading import Controls
    from driftgate.probes.model import Probe
    from driftgate.trace import Json

Record = dict[str, Any]

_COMM = "flashinfer.comm"
_KINDS = ("kernel", "rendezvous", "alloc")
_CHANCE = ("handle",)  # keys of an event that are a matter of chance
_OUTPUTS = ("output", "residual_out", "norm_out")


def play_all(probes: Iterable[Probe], controls: Controls) -> dict[str, Record]:
    """Play probes, scene by scene; return their records by id.

    Args:
        probes: Those of one scene one after the other.
        controls: Of the upstream in this process, whose ``flashinfer.comm`` can be imported.
    """
    player = _Player(importlib.import_module(_COMM), controls)
    gc.collect()
    gc.freeze()  # so that the collection after each probe need not visit the modules
    records = {}
    with player.listening():
        for scene, group in groupby(probes, key=lambda probe: probe.scene):
            with staged(scene, controls):
                values = Values(player.comm, scene)
                for probe in group:
                    records[probe.id] = player.play(probe, values)
    return records


class _Player:
    """Plays probes over one upstream.

    Attributes:
        comm: Its ``flashinfer.comm``.
    """

    def __init__(self, comm: Any, controls: Controls) -> None:
        self.comm = comm
        self._controls = controls
        self._recorder = Recorder()
        self._events: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
        self._warnings: list[warnings.WarningMessage] = []
        controls.subscribe(self._hear)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what is logged, printed and warned of, all of it each time."""
        with self._recorder.installed(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._warnings = caught
            yield

    def play(self, probe: Probe, values: Values) -> Record:
        """Play one probe."""
        before = self._controls.live_handles()
        record = self._call(probe, values)
        record["said"] = self._said()
        gc.collect()
        record["left"] = self._controls.live_handles() - before
        self._empty_table()
        self._forget()
        return record

    def _call(self, probe: Probe, values: Values) -> Record:
        """Make the call and describe it; what it made dies when this returns."""
        before = self._controls.live_handles()
        try:
            workspace = self._make(probe, values)
            call, names = self._target(probe, workspace, values)
            args = [values.make(each, workspace) for each in probe.args[len(names) :]]
            kwargs = values.make_all(probe.kwargs, workspace)
        except Exception as error:  # noqa: BLE001 - what an upstream raises is its answer
            return {"outcome": f"{_name(error)} beforehand"}
        self._forget()
        record: Record = {}
        try:
            value = call(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - as above
            record["outcome"] = _name(error)
        else:
            given = dict(zip(("input", "workspace"), args, strict=False)) | kwargs
            record |= {"outcome": "ok", "value": plain(value, given)}
        record["written"] = {
            name: digest(kwargs[name]) for name in _OUTPUTS if kwargs.get(name) is not None
        }
        record |= {kind: list(events) for kind, events in self._events.items()}
        record["live"] = self._controls.live_handles() - before
        return record

    def _make(self, probe: Probe, values: Values) -> Any:
        if probe.made is None:
            return None
        workspace = self.comm.create_allreduce_fusion_workspace(**values.make_all(probe.made, None))
        _prepare(workspace, probe.before)
        return workspace

    def _empty_table(self) -> None:
        """Empty the table in which some releases keep memory, under the ``id`` of a list.

        Where that list has died, the next one may have its ``id``, and free that memory by chance.
        """
        module = importlib.import_module(f"{_COMM}.trtllm_ar")
        getattr(module, "_symm_workspace_refs", {}).clear()

    def _target(
        self, probe: Probe, workspace: Any, values: Values
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return what is called, and the leading arguments that only say which it is."""
        name = probe.args[:1]
        match probe.call:
            case Call.READ:
                return lambda: getattr(workspace, *name), name
            case Call.COMM:
                return getattr(values.torch_dist_backend(), *name), name
            case Call.FITS | Call.DESTROY:
                return getattr(workspace, probe.call.value), ()
            case Call.BYTES:
                return getattr(type(workspace), probe.call.value), ()
            case Call.VALIDATE:
                module = importlib.import_module(f"{_COMM}.trtllm_ar")
                return getattr(module, probe.call.value), ()
            case _:
                return getattr(self.comm, probe.call.value), ()

    def _said(self) -> list[list[str]]:
        """What was logged by default, printed, and warned of since the last call."""
        lines = [
            [line.logger, line.level, without_addresses(line.text)]
            for line in self._recorder.take()
            if line.level != "INFO"
        ]
        return lines + [["warnings", each.category.__name__, ""] for each in self._warnings]

    def _forget(self) -> None:
        """Drop what the preparation, or the clearing up, brought."""
        self._recorder.take()
        self._warnings.clear()
        for events in self._events.values():
            events.clear()

    def _hear(self, kind: str, _symbol: str, data: Mapping[str, Json]) -> None:
        if kind in _KINDS:
            self._events[kind].append({k: v for k, v in data.items() if k not in _CHANCE})


def _name(error: Exception) -> str:
    """Return the type's name; of a kernel seam's refusal, what a launcher would raise."""
    return "RuntimeError" if isinstance(error, KernelRefusedError) else type(error).__name__


def _prepare(workspace: Any, before: str) -> None:
    """Do to a workspace what the probe asks for."""
    what, _, key = before.partition(" without ")
    if what == "metadata":
        workspace.metadata = {name: v for name, v in workspace.metadata.items() if name != key}
    elif what == "no metadata":
        del workspace.metadata
    elif what == "half the buffer":
        workspace.buffer_size_bytes //= 2
    elif what == "destroy":
        workspace.destroy()
