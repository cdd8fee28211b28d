# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import driftgate_stub_core as core

SHAPE = core.shape(__file__)

__version__ = SHAPE.version
