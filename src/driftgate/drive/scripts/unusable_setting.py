"""What is set cannot work on this machine: the consumer may say so, or go on without fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Ask for a workspace, once; an error that is about the setting is an answer."""
    if not begin(stage):
        return
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim

    def ask() -> str:
        try:
            made = stage.driver.create(tokens, hidden, stage.engine.dtype)
        except ValueError as error:
            return f"refused: {error}"
        return "made" if made else "none"

    stage.step("create", ask, tokens=tokens, hidden=hidden)
    stage.step("cleanup", stage.driver.cleanup)
