"""What core metadata says, and under which extras."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from packaging.metadata import parse_email
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from driftgate.packages.model import Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Wheels are judged for the machines that have such GPUs.
_MACHINE = {
    "os_name": "posix",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}


def read_release(name: str, text: str, *, yanked: bool | None) -> Release:
    """Return what metadata says; a requirement that is none is left out, as installers do."""
    raw, _ = parse_email(text)
    return Release(
        canonicalize_name(name),
        raw.get("version", ""),
        raw.get("requires_python", ""),
        tuple(parsed(raw.get("requires_dist", ()))),
        yanked,
    )


def parsed(texts: Iterable[str]) -> Iterator[Requirement]:
    """Yield the requirements that ``texts`` spell."""
    for text in texts:
        with suppress(InvalidRequirement):
            yield Requirement(text)


def holds(requirement: Requirement, python: str, extra: str = "") -> bool:
    """Whether an installer asks for it on Linux, for an extra or (empty) for none.

    Args:
        requirement: What is required.
        python: The interpreter, as ``3.11``.
        extra: The extra's name.
    """
    if requirement.marker is None:
        return True
    versions = {"python_version": python, "python_full_version": f"{python}.0"}
    return requirement.marker.evaluate({**_MACHINE, **versions, "extra": extra})


def extras_of(release: Release) -> tuple[str, ...]:
    """Return the extras that requirements of ``release`` belong to."""
    found: dict[str, None] = {}
    for requirement in release.requires:
        text = str(requirement.marker or "")
        pieces = text.split("extra ==")[1:]
        found.update(dict.fromkeys(piece.split('"')[1] for piece in pieces if '"' in piece))
    return tuple(found)
