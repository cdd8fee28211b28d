"""Say how a binding differs from what is taken from it; started by `bindings`.

Imports nothing of driftgate: it runs without site-packages.
"""

from __future__ import annotations

import ctypes
import json
import runpy
import sys
from typing import Any


def difference(names: dict[str, Any], name: str, field: str) -> str:
    """Return what is wrong with a name, or with a field that is read by place; empty if nothing."""
    if name not in names:
        return "there is no such name"
    if not field:
        return ""
    kinds = dict(each[:2] for each in getattr(names[name], "_fields_", ()))
    kind = kinds.get(field)
    if kind is None:
        return "there is no such field"
    # Read as bytes up to the first zero: all zeros are empty bytes, which have no first place.
    if getattr(kind, "_type_", None) is ctypes.c_char:
        return "the field is text, empty where it begins with a zero"
    return ""


if __name__ == "__main__":
    asked = json.loads(sys.stdin.read())
    there = runpy.run_path(sys.argv[1])
    sys.stdout.write(json.dumps([difference(there, name, field) for name, field in asked]))
