from __future__ import annotations

import pytest
from packaging.version import Version

from driftgate.insides.diff import diff_insides
from driftgate.insides.requirements import compare_requirements
from driftgate.insides.serial import insides_from_json, insides_to_json
from driftgate.insides.target import EntryRow, InsidesTarget
from driftgate.surface.difference import Kind, Level
from driftgate.surface.releases import ReleaseRow
from insides.sources import LOW_LEVEL, insides_of
from surface.test_diff import CASES as SHAPE_CASES

ROW = ReleaseRow(
    "1.0", "", "", 0, "", ">=3.10,<4", ("torch>=2", "Pkg_Known", "numpy; extra == 'all'")
)
TARGET = InsidesTarget(
    "pkg",
    LOW_LEVEL,
    (EntryRow("pkg:f", select="kind", values=("a", "b"), choice="auto", follow=True),),
    {"known": "pkg-known"},
    {"array.array": Version("3.12")},
)
HEAD = "class Buffer:\n    def __init__(self, comm): ...\ndef g(x): return x\nimport lib\n"
REFUSES = "class C:\n    def __init__(self, x):\n        if not x: raise ValueError"

SAYS_OTHERWISE = """
class cudaMalloc:
    def f(self, x: int) -> int:
        'New.'
        logger.info(x)"""

# (before, after, what is found as (kind, level, where))
CASES = [
    ("", "import known.part", [(Kind.IMPORT_MADE_MANDATORY, Level.ADDITIVE, "")]),
    ("", "import numpy", [(Kind.IMPORT_MADE_MANDATORY, Level.BREAKING, "")]),
    ("try:\n    import numpy\nexcept ImportError:\n    pass", "", []),
    ("import numpy", "", [(Kind.IMPORT_MADE_OPTIONAL, Level.ADDITIVE, "")]),
    (
        "import array",
        "import array\nx: array.array[int]",
        [(Kind.IMPORT_FAILS, Level.BREAKING, "")],
    ),
    (
        "import array\nx: array.array[int]",
        "import array\nx: 'array.array[int]'",
        [(Kind.IMPORT_MENDED, Level.ADDITIVE, "")],
    ),
    (
        "import torch",
        "import torch\nx = torch.cuda.device_count()",
        [(Kind.CALL_AT_IMPORT_ADDED, Level.DANGEROUS, "")],
    ),
    ("", "g(1)", [(Kind.CALL_AT_IMPORT_ADDED, Level.COSMETIC, "")]),
    ("g(1)", "", [(Kind.CALL_AT_IMPORT_REMOVED, Level.COSMETIC, "")]),
    (
        "class CudaRTLibrary: ...\nx = CudaRTLibrary()",
        "class CudaRTLibrary: ...",
        [(Kind.CALL_AT_IMPORT_REMOVED, Level.ADDITIVE, "")],
    ),
    (
        "class CudaRTLibrary: ...\nx = CudaRTLibrary()",
        "class CudaRTLibrary: ...\ndef late(): return CudaRTLibrary()",
        [(Kind.CALL_DEFERRED, Level.DANGEROUS, "")],
    ),
    (
        "class CudaRTLibrary: ...\nx = CudaRTLibrary()\ndef late(): return CudaRTLibrary()",
        "class CudaRTLibrary: ...\ndef late(): return CudaRTLibrary()",
        [(Kind.CALL_AT_IMPORT_REMOVED, Level.ADDITIVE, "")],
    ),
    (
        "def f(kind, x=None):\n    if x is None: x = 1\n    return x",
        "def f(kind, x=None):\n    if x is None: x = 2\n    return x",
        [(Kind.DEFAULT_CHANGED, Level.SAFE_BY_KEYWORD, "[a, b](x)")],
    ),
    (
        "def f(kind, x=None): return x",
        "def f(kind, x=None):\n    if x is None: x = 2\n    return x",
        [],
    ),
    (
        "def f(kind): return 1, kind",
        "def f(kind): return 1, kind, 2",
        [(Kind.RESULT_CHANGED, Level.BREAKING, "[a, b]")],
    ),
    (
        "def f(kind): return 1, kind",
        "def f(kind):\n    if lib.odd(): return 1, kind, 2\n    return 1, kind",
        [(Kind.RESULT_CHANGED, Level.BREAKING, "[a, b]")],
    ),
    (
        "def f(kind): return 1, kind",
        "def f(kind, new=False):\n    if new: return 1, kind, 2\n    return 1, kind",
        [(Kind.RESULT_CHANGED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        "def f(kind, more=False): return 1, kind, 2",
        "def f(kind, more=False):\n    if more: return 1, kind, 2\n    return 1, kind",
        [
            (Kind.PARAM_HONOURED, Level.DANGEROUS, "[a, b, auto](more)"),
            (Kind.RESULT_CHANGED, Level.BREAKING, "[a, b]"),
        ],
    ),
    (
        "def f(kind): return 1, kind",
        "def f(kind):\n    pair = 1, kind\n    return pair",
        [],
    ),
    (
        "def f(kind): return 1, kind",
        "def f(kind): lib.note(kind)",
        [(Kind.RESULT_CHANGED, Level.BREAKING, "[a, b]")],
    ),
    (
        "def f(kind): return g(kind)",
        "def f(kind):\n    if kind == 'a': raise ValueError\n    return g(kind)",
        [(Kind.BRANCH_REMOVED, Level.BREAKING, "[a]")],
    ),
    (
        "def f(kind):\n    if kind == 'a': raise ValueError\n    return g(kind)",
        "def f(kind): return g(kind)",
        [(Kind.BRANCH_ADDED, Level.ADDITIVE, "[a]")],
    ),
    (
        "def f(kind, comm): return Buffer(comm)",
        "def f(kind, comm): return lib.cudaMalloc(comm)",
        [
            (Kind.LOW_LEVEL_CHANGED, Level.DANGEROUS, "[a, b]"),
            (Kind.PEERS_CHANGED, Level.DANGEROUS, "[a, b]"),
        ],
    ),
    (
        "def f(kind, comm): return Buffer(comm)",
        "def f(kind, comm):\n    if kind == 'a': comm = WORLD\n    return Buffer(comm)\nWORLD = 1",
        [
            (Kind.PEERS_CHANGED, Level.DANGEROUS, "[a]"),
            (Kind.ARGUMENT_CHANGED, Level.DANGEROUS, "[a]"),
            (Kind.PARAM_IGNORED, Level.DANGEROUS, "[a](comm)"),
        ],
    ),
    (
        # Where no memory is shared any more, no peer is met that could be a wrong one.
        "def f(kind, comm):\n    Buffer(comm)\n    return h(comm)",
        "def f(kind, comm): return h(comm)",
        [(Kind.LOW_LEVEL_CHANGED, Level.DANGEROUS, "[a, b]")],
    ),
    (
        "def f(kind, comm): return Buffer(comm)",
        "def f(kind, comm, new=False):\n    if new: lib.cudaMalloc()\n    return Buffer(comm)",
        [(Kind.LOW_LEVEL_CHANGED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        "def f(kind, comm): return Buffer(comm)",
        "def f(kind, comm, new=False):\n    if not new: lib.cudaMalloc()\n    return Buffer(comm)",
        [(Kind.LOW_LEVEL_CHANGED, Level.DANGEROUS, "[a, b]")],
    ),
    (
        "class cudaMalloc:\n    def f(self): return 1\ndef f(kind): cudaMalloc()",
        "class cudaMalloc:\n    def f(self): return 2\ndef f(kind): cudaMalloc()",
        [(Kind.LOW_LEVEL_EDITED, Level.DANGEROUS, "[a, b]")],
    ),
    (
        "class cudaMalloc:\n    def f(self, x): print(x)\ndef f(kind): cudaMalloc()",
        f"{SAYS_OTHERWISE}\ndef f(kind): cudaMalloc()",
        [],
    ),
    (
        "def f(kind, x): return g(1)",
        "def f(kind, x): return g(x)",
        [
            (Kind.PARAM_HONOURED, Level.DANGEROUS, "[a, b, auto](x)"),
            (Kind.ARGUMENT_CHANGED, Level.DANGEROUS, "[a, b]"),
        ],
    ),
    (
        "def f(kind): return g(1)",
        "def f(kind, x=None): return g(1)",
        [(Kind.PARAM_IGNORED, Level.ADDITIVE, "[a, b, auto]")],
    ),
    (
        "def f(kind):\n    if kind == 'auto': h(1)\n    return g(1)\ndef h(x): return x",
        "def f(kind):\n    if kind == 'auto': h(1)\n    return g(1)\ndef h(x): return not x",
        [(Kind.CHOICE_CHANGED, Level.DANGEROUS, "[auto]")],
    ),
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x):\n    if x > 3: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS, "[a, b]")],
    ),
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x, new=None):\n    if new and x: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x):\n    if x == E.new_member: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        f"def f(kind, x): return C(x)\n{REFUSES}",
        f"def f(kind, x):\n    if not x and kind: raise ValueError\n    return C(x)\n{REFUSES}",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        "def f(kind, x):\n    if x > 3: raise ValueError\n    return g(x)",
        "def f(kind, x):\n    if x > 2: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_CHANGED, Level.DANGEROUS, "[a, b]")],
    ),
    (
        "def f(kind, x):\n    if x > 3: raise ValueError\n    return g(x)",
        "def f(kind, x): return g(x)",
        [(Kind.REFUSAL_REMOVED, Level.ADDITIVE, "[a, b]")],
    ),
    (
        "def f(kind, x): return g(x)",
        'def f(kind, x):\n    """Said anew."""\n    y = x\n    return g(y)',
        [],
    ),
]


def differences(before: str, after: str) -> list[tuple[Kind, Level, str]]:
    old, new = (
        insides_of({"pkg/__init__.py": HEAD + text}, *TARGET.entries) for text in (before, after)
    )
    found = diff_insides(old, new, TARGET, ROW, frozenset({"new_member"}))
    return [(item.kind, item.level, item.where) for item in found]


@pytest.mark.parametrize(("before", "after", "expected"), CASES)
def test_differences(before: str, after: str, expected: list[tuple[Kind, Level, str]]) -> None:
    """Each kind of change is told by its kind, its level and its branches; other edits are not."""
    assert sorted(differences(before, after)) == sorted(expected)


REQUIREMENTS = [
    ("torch", "torch>=2", ">=3.10", Kind.REQUIREMENT_CHANGED, Level.ADDITIVE),
    ("torch", "", ">=3.10", Kind.REQUIREMENT_REMOVED, Level.ADDITIVE),
    ("", "torch", ">=3.10", Kind.REQUIREMENT_ADDED, Level.ADDITIVE),
    ("x; extra == 'a'", "x>1; extra == 'a'", ">=3.10", Kind.REQUIREMENT_CHANGED, Level.COSMETIC),
    ("", "", ">=3.11", Kind.REQUIRES_PYTHON_CHANGED, Level.BREAKING),
    ("", "", ">=3.9", Kind.REQUIRES_PYTHON_CHANGED, Level.ADDITIVE),
]


@pytest.mark.parametrize(("before", "after", "python", "kind", "level"), REQUIREMENTS)
def test_requirements(before: str, after: str, python: str, kind: Kind, level: Level) -> None:
    """What an installer sees; a Python that is no longer admitted breaks its users."""
    old, new = (
        ReleaseRow("1", "", "", 0, "", asked, tuple(filter(None, ("six", text))))
        for text, asked in ((before, ">=3.10"), (after, python))
    )

    assert [(item.kind, item.level) for item in compare_requirements(old, new)] == [(kind, level)]


def test_every_kind_has_a_case() -> None:
    """No kind of difference is left untried, here or beside."""
    tried = {kind for _, _, expected in (*CASES, *SHAPE_CASES) for kind, _, _ in expected}
    tried |= {kind for *_, kind, _ in REQUIREMENTS}

    # Beside: test_siblings.py and test_edited.py.
    beside = {Kind.SIBLINGS_DIFFER, Kind.SIBLINGS_AGREE, Kind.BODY_EDITED}
    assert tried | beside == set(Kind)


@pytest.mark.parametrize("text", [case[1] for case in CASES])
def test_insides_survive_json(text: str) -> None:
    """What is kept of a release is all that was read."""
    insides = insides_of({"pkg/__init__.py": HEAD + text}, *TARGET.entries)

    assert insides_from_json(insides_to_json(insides)) == insides
