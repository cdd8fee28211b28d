import driftgate_stub_core as core

SHAPE = core.shape(__file__)


class SymmDeviceMemory:
    """Stands for a type that only signatures name."""
