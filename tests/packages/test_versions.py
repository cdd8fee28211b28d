"""Versions compared as PEP 440 orders them, by hand."""

from __future__ import annotations

import pytest

from driftgate.packages.versions import base, differ, local, public


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.6.16", "0.6.16+cu130"),
        ("0.6.9+cu128", "0.6.9+cu130"),
        ("0.7.0rc4", "0.7.0.rc4"),
        ("0.6.7.dev20260413", "0.6.7.dev20260413+g1234567"),
        ("1.0", "1.0.0"),
        ("0.0.0+unknown", "0.6.7.dev20260413"),
        ("0+unknown", "0.6.7"),
        ("0.0.0", "0.6.7"),
        ("not a version", "0.6.7"),
    ],
)
def test_these_are_no_mismatch(one: str, other: str) -> None:
    """Builds and spellings of one source, and what says no version at all."""
    assert not differ(one, other)
    assert not differ(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.6.8", "0.6.8.post1"),
        ("0.6.1", "0.6.11+cu129"),
        ("0.6.7.dev20260412", "0.6.7.dev20260413"),
        ("0.7.0rc3", "0.7.0rc4"),
        ("0.7.0rc4", "0.7.0"),
        ("0.0.0.dev1", "0.6.7"),
    ],
)
def test_these_are(one: str, other: str) -> None:
    """Post, pre and development releases are releases of their own."""
    assert differ(one, other)
    assert differ(other, one)


def test_parts_of_a_version() -> None:
    """A development build has a release, a public and a local part."""
    assert str(public("1.2.3.dev4+gabc")) == "1.2.3.dev4"
    assert base("1.2.3.dev4+gabc") == "1.2.3"
    assert local("1.2.3+cu130") == "cu130"
    assert (base("0.0.0+unknown"), local("1.2"), local("no version")) == ("", "", "")
