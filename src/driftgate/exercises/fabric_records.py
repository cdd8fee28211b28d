# ruff: noqa: ANN401 - what the driver, torch and sockets take
"""Ask whether the NVLink fabric can be used, whatever record NVML gives of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import attempt

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_ASKED = "is_mnnvl_fabric_supported"
_UUID_BYTES = 16
# NVML's states of a fabric: not supported, not started, in progress, completed.
_STATES = (0, 1, 2, 3)
_COMPLETED = 3
# A C string ends at its first zero byte, so an identifier of zeros reads as none at all.
_IDENTIFIERS = {"no identifier": b"", "an identifier": b"\1" * _UUID_BYTES}


def play(release: Release) -> Json:
    """Return the answer for each record, and what the right one is."""
    ask = release.get(_ASKED)
    nvml = vars(release.pretended("pynvml"))
    records = []
    for state in _STATES:
        for name, identifier in _IDENTIFIERS.items():
            nvml["nvmlDeviceGetGpuFabricInfoV"] = partial(_fill, state, identifier)
            said: list[bool] = []
            ended = attempt(partial(_note, ask, said))
            right = state == _COMPLETED and bool(identifier)
            record = {"record": f"state {state}, {name}", "right": right, "said": said}
            records.append({**record, **ended})
    return records


def _fill(state: int, identifier: bytes, _handle: Any, reference: Any) -> None:
    info = reference._obj  # noqa: SLF001 - ctypes.byref gives no other way in
    info.state, info.clusterUuid = state, identifier


def _note(ask: Any, said: list[bool]) -> None:
    said.append(bool(ask(0)))
