from __future__ import annotations

import pytest

from stubs.children import InStub, run_in_stub


@pytest.fixture
def in_stub() -> InStub:
    return run_in_stub
