# Derived by `driftgate stub derive` from a recorded surface; do not edit.


class Mapping:
    """Stands for a type that only signatures name."""
