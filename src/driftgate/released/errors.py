"""What can be wrong with a consumer release, each in one line."""

from __future__ import annotations

from driftgate.errors import DriftgateError


class NoSuchReleaseError(DriftgateError, LookupError):
    """The package index offers no such release of a consumer.

    Attributes:
        distribution: The project on the index.
        release: What was asked for.
        newest: The newest release on offer, or empty where there is none.
    """

    def __init__(self, distribution: str, release: str, newest: str) -> None:
        self.distribution = distribution
        self.release = release
        self.newest = newest
        hint = f"the newest is {newest}" if newest else "it offers none at all"
        super().__init__(f"{distribution}=={release}: the index has no such release; {hint}")


class NoSuchModuleError(DriftgateError, LookupError):
    """A file lacks an operation that every release of its project has.

    Attributes:
        consumer: As spelled.
        operation: What is missing, as the driver calls it.
        wanted: The name that it was looked for under.
    """

    def __init__(self, consumer: str, operation: str, wanted: str) -> None:
        self.consumer = consumer
        self.operation = operation
        self.wanted = wanted
        super().__init__(
            f"{consumer}: defines no {wanted} (operation {operation!r}); give a file that does, or "
            "map the operation to its new name in matrix/consumers/"
        )


class FilesMissingError(DriftgateError, LookupError):
    """A consumer release has none of the files that are looked for.

    Attributes:
        filename: The archive.
        wanted: Base names of the files.
    """

    def __init__(self, filename: str, wanted: tuple[str, ...]) -> None:
        self.filename = filename
        self.wanted = wanted
        names = ", ".join(wanted)
        super().__init__(
            f"{filename}: holds no {names}; choose a release that has the module, or add the "
            "file's new name to matrix/consumers/"
        )
