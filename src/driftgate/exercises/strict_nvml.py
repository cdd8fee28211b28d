# ruff: noqa: ANN401 - whatever NVML takes and returns
"""Ask about NVLink through an NVML that answers nobody who has not initialised it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import attempt
from driftgate.exercises.record import AbsentError

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_ANSWERS = {
    "nvmlDeviceGetHandleByIndex": "a handle",
    "nvmlDeviceGetNvLinkCapability": 1,
    "nvmlDeviceGetNvLinkState": 1,
    "nvmlDeviceGetGpuFabricInfoV": 0,
}
_LINKS = 18


class UninitialisedError(Exception):
    """What NVML raises where nobody has initialised it."""


class _Nvml:
    """Counts who has initialised it and not yet shut it down."""

    def __init__(self) -> None:
        self.users = 0

    def begin(self) -> None:
        self.users += 1

    def end(self) -> None:
        self.users -= 1

    def answer(self, name: str, *_: Any) -> Any:
        if self.users <= 0:
            raise UninitialisedError(f"{name} before nvmlInit")
        return _ANSWERS[name]


def play(release: Release) -> Json:
    """Return how each question ended, and how many users NVML has after it.

    Raises:
        AbsentError: It asks nothing.
    """
    nvml = _Nvml()
    module = vars(release.pretended("pynvml"))
    module.update(nvmlInit=nvml.begin, nvmlShutdown=nvml.end, NVML_NVLINK_MAX_LINKS=_LINKS)
    module.update({name: partial(nvml.answer, name) for name in _ANSWERS})
    records = []
    for name, ask in _questions(release).items():
        nvml.users = 0
        records.append({"asked": name, **attempt(ask), "users": nvml.users})
    if not records:
        raise AbsentError("question to NVML")
    return records


def _questions(release: Release) -> dict[str, Any]:
    questions: dict[str, Any] = {}
    for owner, name in (("MnnvlMemory", "support_nvlink"), ("MnnvlMemory", "supports_mnnvl")):
        method = _get(release, owner, name)
        if method is not None:
            arguments = (True,) if name == "support_nvlink" else ()
            questions[f"{owner}.{name}"] = partial(method, *arguments)
    fabric = _get(release, "", "is_mnnvl_fabric_supported")
    if fabric is not None:
        questions["is_mnnvl_fabric_supported"] = partial(fabric, 0)
    return questions


def _get(release: Release, owner: str, name: str) -> Any:
    try:
        return getattr(release.get(owner), name, None) if owner else release.get(name)
    except AbsentError:
        return None
