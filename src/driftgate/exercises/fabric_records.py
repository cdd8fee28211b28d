# ruff: noqa: ANN401 - what the driver, torch and sockets take
"""Ask whether the NVLink fabric can be used, whatever record NVML gives of it."""

from __future__ import annotations

import ctypes
from functools import partial
from itertools import product
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
# The field's type differs by NVML's version. A C string ends at its first zero byte, so an
# identifier that begins with one reads as none at all there, and cannot be told from it.
_FIELDS = {"text": ctypes.c_char, "bytes": ctypes.c_ubyte}
_IDENTIFIERS = {
    "no identifier": bytes(_UUID_BYTES),
    "an identifier": b"\1" * _UUID_BYTES,
    "an identifier that begins with zero": b"\0" + b"\1" * (_UUID_BYTES - 1),
}


def play(release: Release) -> Json:
    """Return the answer for each record, and what the right one is."""
    ask = release.get(_ASKED)
    nvml = vars(release.pretended("pynvml"))
    records = []
    for (field, kind), state in product(_FIELDS.items(), _STATES):
        nvml["c_nvmlGpuFabricInfoV_t"] = _struct(kind)
        for name, identifier in _IDENTIFIERS.items():
            is_there = any(identifier.split(b"\0")[0] if field == "text" else identifier)
            nvml["nvmlDeviceGetGpuFabricInfoV"] = partial(_fill, state, identifier)
            said: list[bool] = []
            ended = attempt(partial(_note, ask, said))
            right = state == _COMPLETED and is_there
            record = {"record": f"state {state}, {name}, as {field}", "right": right, "said": said}
            records.append({**record, **ended})
    return records


def _struct(kind: Any) -> type[ctypes.Structure]:
    fields = (("state", ctypes.c_ubyte), ("clusterUuid", kind * _UUID_BYTES))
    return type("FabricInfo", (ctypes.Structure,), {"_fields_": fields})


def _fill(state: int, identifier: bytes, _handle: Any, reference: Any) -> None:
    info = reference._obj  # noqa: SLF001 - ctypes.byref gives no other way in
    info.state = state
    info.clusterUuid = type(info.clusterUuid)(*identifier) if _is_array(info) else identifier


def _is_array(info: Any) -> bool:
    return isinstance(info.clusterUuid, ctypes.Array)


def _note(ask: Any, said: list[bool]) -> None:
    said.append(bool(ask(0)))
