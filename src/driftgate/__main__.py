"""``python -m driftgate``, where the script is not on the path."""

from driftgate.cli import main

main()
