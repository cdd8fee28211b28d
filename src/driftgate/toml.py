"""Read a TOML file, or say in one line why it cannot be read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from driftgate.errors import InvalidDataError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path


def read_toml(path: Path) -> dict[str, Any]:
    """Return the document at ``path``.

    Raises:
        InvalidDataError: The file is missing or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise InvalidDataError(path, reason.lower(), "restore it from version control") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidDataError(path, f"not TOML ({error})", "mend that line") from error
