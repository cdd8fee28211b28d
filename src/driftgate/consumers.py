"""Consumers by their spelled names: ``ours``, ``file:PATH``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from driftgate.errors import HarnessError, InvalidDataError, UnknownNameError

OURS = "ours"
_OURS_MODULE = "flashinfer_comm_fusion"
_FILE = "file:"


@dataclass(frozen=True)
class Consumer:
    """A module that is run against upstreams.

    Attributes:
        name: As spelled on the command line.
        source: What the child imports: a module's name, or the path of a file.
        root: The file, or the folder of files, that its behaviour depends on.
    """

    name: str
    source: str
    root: Path


def find_consumer(name: str) -> Consumer:
    """Return the consumer that ``name`` spells; a file's path is made absolute.

    Raises:
        UnknownNameError: It spells nothing.
        InvalidDataError: The file does not exist.
    """
    if name == OURS:
        spec = find_spec(_OURS_MODULE)
        if spec is None or spec.origin is None:
            raise HarnessError(f"{_OURS_MODULE} is not installed beside driftgate; reinstall both")
        return Consumer(name, _OURS_MODULE, Path(spec.origin).parent)
    if not name.startswith(_FILE):
        raise UnknownNameError("consumer", name, (OURS, f"{_FILE}PATH"))
    path = Path(name.removeprefix(_FILE)).resolve()
    if not path.is_file():
        raise InvalidDataError(path, "no such consumer file", "give the path of a Python module")
    # Beside the file lies what it may import.
    return Consumer(name, str(path), path.parent)
