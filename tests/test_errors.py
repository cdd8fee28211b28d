"""Errors that were raised in another process."""

from __future__ import annotations

import copy

import pytest

from driftgate.errors import DriftgateError, HarnessError, InvalidDataError, UnknownNameError


@pytest.mark.parametrize(
    "error",
    [
        DriftgateError("no such thing"),
        HarnessError("broke"),
        InvalidDataError("rows.toml", "lacks a key", "add it"),
        UnknownNameError("release", "9", ("1", "2")),
    ],
)
def test_an_error_comes_whole_out_of_another_process(error: DriftgateError) -> None:
    """Its line, its data and its exit code are what they were; a pool of processes hands it on."""
    # A copy is made of what is sent to another process.
    found = copy.copy(error)

    assert (type(found), str(found), vars(found)) == (type(error), str(error), vars(error))
    assert found.exit_code == error.exit_code
