"""Versions of distributions, compared as far as two builds of the same source differ."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

_UNKNOWN = "unknown"


def public(text: str) -> Version | None:
    """Return the version without its local part (``+cu130``); None where it says nothing.

    A checkout that cannot tell its version calls itself ``0.0.0+unknown``, ``0+unknown`` or
    ``0.0.0``: that is no version to compare.
    """
    try:
        version = Version(text)
    except InvalidVersion:
        return None
    if _UNKNOWN in (version.local or "").split(".") or (
        not any(version.release) and not version.is_prerelease
    ):
        return None
    return Version(version.public)


def base(text: str) -> str:
    """Return the release that ``text`` comes before or after: ``1.2.3`` of ``1.2.3.dev4+gabc``."""
    version = public(text)
    return version.base_version if version else ""


def local(text: str) -> str:
    """Return the local part: ``cu130`` of ``1.2.3+cu130``; empty where there is none."""
    try:
        return Version(text).local or ""
    except InvalidVersion:
        return ""


def differ(one: str, other: str) -> bool:
    """Whether two versions are of different sources; never where one of them is unknown."""
    first, second = public(one), public(other)
    return first is not None and second is not None and first != second
