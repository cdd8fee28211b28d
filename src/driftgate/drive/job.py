"""What is sent to a zygote; read on both sides, so it imports no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from driftgate.cells import Environment
from driftgate.drive.scripts import COMPILING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Half as large again as the rest of torch. Every fork of a process that has loaded it copies its
# page tables, so it is loaded only where it is used.
_COMPILER = "torch._dynamo"
_SYMMETRIC_MEMORY = "torch.distributed._symmetric_memory"


@dataclass(frozen=True)
class Adapter:
    """How another project's modules are driven.

    Attributes:
        driver: The driver's file in ``driftgate/drive/drivers/``.
        files: The modules, dependencies first: each one's path in its project, and the file that
            holds it.
        standins: Name of the answer by dotted path of the rest of the project.
        operations: Names in the modules that every release has, by operation.
        optional: Names in the modules that some releases have, by operation.
        preload: Modules of others that these import, to be loaded once before any of them.
    """

    driver: str
    files: tuple[tuple[str, str], ...]
    standins: dict[str, str]
    operations: dict[str, str]
    optional: dict[str, str]
    preload: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Adapter:
        """Rebuild an adapter from plain containers."""
        files = tuple((path, file) for path, file in data["files"])
        return cls(**{**data, "files": files, "preload": tuple(data["preload"])})


@dataclass(frozen=True)
class Release:
    """A real release that stands in for a stub.

    Attributes:
        version: The release.
        seams: The file that says where its own Python ends: ``matrix/seams.toml``.
    """

    version: str
    seams: str


@dataclass(frozen=True)
class Job:
    """One consumer and one upstream, to be loaded once and driven in several environments.

    Attributes:
        source: The consumer: a module's dotted name, a file's path, or for another project's
            modules the name that errors call them by.
        folders: The upstream's folders for ``sys.path``; empty where it is absent.
        environments: What is pretended, each in a process of its own.
        limit: Seconds after which a cell, or the loading, is killed.
        adapter: How it is driven; None for a module that speaks our own names.
        release: What is in the folder, where that is a real release.
    """

    source: str
    folders: tuple[str, ...]
    environments: tuple[Environment, ...]
    limit: float
    adapter: Adapter | None = None
    release: Release | None = None

    @property
    def compiles(self) -> bool:
        """Whether some environment's script compiles."""
        return any(environment.script in COMPILING for environment in self.environments)

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules that this job needs, and that its process can be forked with."""
        names = [*self.adapter.preload] if self.adapter else []
        # A file may call a `torch.library.custom_op`, which loads the compiler when first called.
        if self.compiles or self.source.endswith(".py"):
            names.append(_COMPILER)
        if self.release is not None:
            names.append(_SYMMETRIC_MEMORY)
        return tuple(names)

    def parts(self) -> Iterator[Job]:
        """Split what compiles off from what does not."""
        for compiles in (False, True):
            environments = tuple(
                each for each in self.environments if (each.script in COMPILING) is compiles
            )
            if environments:
                yield replace(self, environments=environments)

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Job:
        """Rebuild a job from :meth:`as_dict` and JSON."""
        environments = tuple(Environment.from_dict(row) for row in data["environments"])
        adapter = Adapter.from_dict(data["adapter"]) if data["adapter"] else None
        release = Release(**data["release"]) if data["release"] else None
        folders = tuple(data["folders"])
        return cls(data["source"], folders, environments, data["limit"], adapter, release)
