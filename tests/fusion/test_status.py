from __future__ import annotations

import logging

import pytest

from flashinfer_comm_fusion.status import FusionStatus, ReasonCode, StatusBoard, describe

ACTIVE = FusionStatus(active=True, reason=None, backend="trtllm")


def off(reason: ReasonCode) -> FusionStatus:
    return FusionStatus(active=False, reason=reason, detail="because")


def test_a_status_is_logged_when_it_changes_and_only_then(
    caplog: pytest.LogCaptureFixture,
) -> None:
    board = StatusBoard()
    for status in (ACTIVE, ACTIVE, off(ReasonCode.CREATE_FAILED), off(ReasonCode.CREATE_FAILED)):
        board.publish(status)

    assert [record.levelno for record in caplog.records] == [logging.INFO, logging.ERROR]
    assert board.status == off(ReasonCode.CREATE_FAILED)


@pytest.mark.parametrize(
    ("reason", "level"),
    [
        (ReasonCode.NO_FLASHINFER, logging.INFO),
        (ReasonCode.DISABLED, logging.INFO),
        (ReasonCode.RENDEZVOUS_WORLD, logging.WARNING),
        (ReasonCode.UNSUPPORTED_TOPOLOGY, logging.WARNING),
        (ReasonCode.CAPTURING, logging.WARNING),
        (ReasonCode.IMPORT_FAILED, logging.ERROR),
        (ReasonCode.CREATE_FAILED, logging.ERROR),
        (ReasonCode.CREATE_RETURNED_NONE, logging.ERROR),
        (ReasonCode.NULL_MULTICAST, logging.ERROR),
        (ReasonCode.NO_SIZE_CHECK, logging.ERROR),
        (ReasonCode.PEER_FAILED, logging.ERROR),
    ],
)
def test_a_failure_is_an_error_and_a_refusal_is_not(
    caplog: pytest.LogCaptureFixture, reason: ReasonCode, level: int
) -> None:
    StatusBoard().publish(off(reason))

    assert [(record.levelno, reason.value in record.getMessage()) for record in caplog.records] == [
        (level, True)
    ]


def test_an_exception_is_described_in_one_short_line() -> None:
    assert describe(ValueError("two\n  lines")) == "ValueError: two lines"
    assert describe(KeyError()) == "KeyError"
    assert len(describe(RuntimeError("x" * 5000))) < 350
