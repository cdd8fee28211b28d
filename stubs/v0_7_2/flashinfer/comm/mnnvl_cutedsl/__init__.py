# Derived by `driftgate stub derive` from a recorded surface; do not edit.


class DEFAULT_CONFIG:
    """Stands for a type that only signatures name."""
