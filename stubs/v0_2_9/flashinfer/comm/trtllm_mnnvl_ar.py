# Derived by `driftgate stub derive` from a recorded surface; do not edit.
