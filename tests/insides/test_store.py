from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import InvalidDataError
from driftgate.insides.store import load_insides

if TYPE_CHECKING:
    from pathlib import Path


def test_a_release_without_insides_is_told_how_to_get_them(tmp_path: Path) -> None:
    """It has a surface, so it is not unknown."""
    with pytest.raises(InvalidDataError) as raised:
        load_insides(tmp_path, "0.7.4")

    assert str(raised.value) == (
        "0.7.4: recorded without insides; run `driftgate surface record 0.7.4`"
    )
