"""Which driver drives a job's consumer."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.drive.drivers.base import Subject
from driftgate.drive.drivers.injected import InjectedDriver
from driftgate.errors import UnknownNameError

if TYPE_CHECKING:
    from driftgate.drive.drivers.base import Driver
    from driftgate.drive.job import Job

# Class by the name that a consumer row gives; each lies in the file of that name.
_FOREIGN = {
    "sglang": "SglangDriver",
    "sglang_norm": "SglangNormDriver",
    "vllm": "VllmDriver",
}


def choose_driver(job: Job) -> Driver:
    """Return the driver of a job's consumer.

    Raises:
        UnknownNameError: Its row names no driver.
    """
    adapter = job.adapter
    if adapter is None:
        return InjectedDriver(job.source)
    if adapter.driver not in _FOREIGN:
        raise UnknownNameError("driver", adapter.driver, tuple(_FOREIGN))
    module = importlib.import_module(f"driftgate.drive.drivers.{adapter.driver}")
    files = tuple((path, Path(file).read_text(encoding="utf-8")) for path, file in adapter.files)
    subject = Subject(job.source, files, adapter.standins, adapter.operations, adapter.optional)
    driver: Driver = getattr(module, _FOREIGN[adapter.driver])(subject)
    return driver
