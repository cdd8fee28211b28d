"""Consumers by their spelled names: ``ours``, ``file:PATH``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.digests import digest_of, modules_beside
from driftgate.errors import HarnessError, InvalidDataError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.cells import Environment
    from driftgate.drive.job import Adapter

OURS = "ours"
_OURS_MODULE = "flashinfer_comm_fusion"
_FILE = "file:"


@dataclass(frozen=True)
class Consumer:
    """A module that is run against upstreams.

    Attributes:
        name: As spelled on the command line.
        source: What the child imports: a module's name, or the path of a file; for another
            project's modules, their name.
        root: The folder of files that its behaviour depends on; or a file, which depends on the
            modules beside it too.
        adapter: How another project's modules are driven.
        pinned: The FlashInfer release that it pins, or empty.
        not_run: Why it is not judged in an environment, by pattern of its id.
    """

    name: str
    source: str
    root: Path
    adapter: Adapter | None = None
    pinned: str = ""
    not_run: Mapping[str, str] = field(default_factory=dict)

    def left_out(self, environment: Environment) -> str:
        """Return why this consumer is not judged in ``environment``; empty where it is."""
        reasons = (
            why for pattern, why in self.not_run.items() if fnmatchcase(environment.id, pattern)
        )
        return next(reasons, "")

    @cached_property
    def content(self) -> str:
        """A hash of the consumer's modules and, for another project's, of what they are run over.

        Releases that ship equal modules have equal hashes.
        """
        if self.adapter is None:
            roots = modules_beside(self.root) if self.root.is_file() else (self.root,)
            return f"{self.source} {digest_of(roots)}"
        digests = [
            (path, hashlib.sha256(Path(file).read_bytes()).hexdigest())
            for path, file in self.adapter.files
        ]
        rows = json.dumps({**asdict(self.adapter), "files": digests}, sort_keys=True)
        return hashlib.sha256(rows.encode()).hexdigest()


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
    return Consumer(name, str(path), path)
