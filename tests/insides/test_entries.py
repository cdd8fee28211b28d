from __future__ import annotations

import pytest

from driftgate.insides.target import EntryRow
from insides.sources import case_of, insides_of


@pytest.mark.parametrize(
    ("body", "peers"),
    [
        ("Buffer(1, comm)", ["comm"]),
        ("Buffer(1, comm or World())", ["World()", "comm"]),
        ("if comm is None:\n        comm = World()\n    Buffer(1, comm)", ["World()", "comm"]),
        ("Buffer(comm=comm.group if comm is not None else WORLD, size=1)", ["WORLD", "comm.group"]),
        ("helper(comm=comm)", ["comm._inner"]),
        ("Maker(comm).make()", ["comm"]),
        ("for size in [1, 2]:\n        with lock:\n            Buffer(size, comm)", ["comm"]),
        ("Buffer(1)", ["None"]),
        ("rendezvous(tensor, comm)", ["comm"]),
        ("rendezvous(tensor, group=comm.name)", ["comm.name"]),
    ],
)
def test_peers_are_followed_from_the_parameter(body: str, peers: list[str]) -> None:
    """Through defaults, conditions, helpers and objects, in terms of what the caller passes."""
    case = case_of(f"""
from torch.distributed._symmetric_memory import rendezvous
WORLD = 1
class World: ...
class Buffer:
    def __init__(self, size, comm=None): ...
class Maker:
    def __init__(self, comm): self.comm = comm; self.make()
    def make(self): return Buffer(1, self.comm)
def helper(comm):
    _last(comm._inner)
def _last(comm):
    Buffer(size=1, comm=comm)
def f(comm=None, tensor=None):
    {body}
""")

    assert list(case.peers) == peers


def test_an_argument_that_is_known_closes_the_other_branch() -> None:
    """A helper's branch that the caller's constant rules out is not reached."""
    case = case_of("""
    import lib
    def f(fast=False):
        helper(fast=True)
    def helper(fast):
        if not fast:
            lib.cudaMalloc()
        elif fast is None or fast == 3:
            lib.rendezvous()
    """)

    assert not case.reaches


def test_what_a_symbol_needs_is_told() -> None:
    """A branch that the default does not take is marked with the parameter that must be given."""
    text = """
    import lib
    class Buffer: ...
    def f(new=False, old=None):
        if new and old is None:
            return lib.cudaMalloc()
        {other}
    """
    marked = case_of(text.format(other="return Buffer()"))
    always = case_of(text.format(other="return lib.cudaMalloc(Buffer())"))

    assert marked.reaches == {"Buffer": (), "cudaMalloc": ("new",)}
    assert always.reaches == {"Buffer": (), "cudaMalloc": ()}


def test_only_an_instance_of_the_class_meant_takes_a_branch() -> None:
    """``isinstance`` is decided for the classes of the package, bases included."""
    case = case_of("""
    from lib import cudaMalloc, rendezvous
    class Base: ...
    class Made(Base): ...
    class Other: ...
    def f():
        made = Made()
        if isinstance(made, Other):
            cudaMalloc()
        elif isinstance(made, (Base, Other)):
            Buffer()
    class Buffer: ...
    """)

    assert list(case.reaches) == ["Buffer"]


TWO_BACKENDS = """
class One:
    backend = "one"
    def __init__(self, size, group=None): ...
class Two:
    def __init__(self, size): ...
def can(size): return size < 3
def choose(size): return "one"
def create(kind="auto", size=0, group=None, hint=None, extra=None):
    if kind == "auto":
        if not can(size):
            raise ValueError("too large")
        kind = choose(size)
    if kind == "one":
        return One(size, group=group)
    elif kind == "two":
        if hint is not None:
            raise ValueError("no hints")
        bytes = size
        if extra:
            bytes = 2 * size
        return Two(bytes)
    raise RuntimeError("unknown")
def run(input, workspace, hint=None):
    if isinstance(workspace, One):
        return launch(input, hint=hint)
    elif isinstance(workspace, Two):
        return launch(input)
def launch(input, hint="usual"): ...
"""
ROWS = (
    EntryRow("pkg:create", select="kind", values=("one", "two", "three"), choice="auto"),
    EntryRow("pkg:run", select="workspace", instances=("pkg:One", "pkg:Two", "pkg:Gone")),
    EntryRow("pkg:gone"),
)


def test_an_entry_is_read_branch_by_branch() -> None:
    """Each says what it ignores and refuses; one that can only raise says so."""
    entries = insides_of({"pkg/__init__.py": TWO_BACKENDS}, *ROWS).entries
    create = entries["pkg:create"].cases

    assert list(entries) == ["pkg:create", "pkg:run"]
    assert entries["pkg:create"].params == ("kind", "size", "group", "hint", "extra")
    assert create["one"].ignored == ("hint", "extra")
    # What is refused is not ignored, and what decides about an argument is used.
    assert create["two"].ignored == ("group",)
    assert [(item.test, item.raises) for item in create["two"].refusals] == [
        ("hint is not None", "ValueError")
    ]
    assert create["three"].refused
    assert {name.rpartition(".")[2] for name in create["auto"].asks} == {"can", "choose"}
    assert create["two"].hands["Two(size)"] == ("2 * size", "size")


def test_a_branch_may_be_an_instance_of_a_class() -> None:
    """Classes that the release does not have make no branch."""
    run = insides_of({"pkg/__init__.py": TWO_BACKENDS}, *ROWS).entries["pkg:run"].cases

    assert list(run) == ["One", "Two"]
    assert (run["One"].ignored, run["Two"].ignored) == ((), ("hint",))
    assert run["One"].hands["launch(hint)"] == ("hint",)
    assert run["Two"].hands["launch(hint)"] == ("'usual'",)


def test_refusals_of_watched_names_and_of_private_helpers_count() -> None:
    """Those of other classes are kept apart, and a failure passed on is none."""
    case = case_of(
        """
    def f(size, late=None):
        _check(size)
        assert late is not None
        assert size > 1, "too small"
        try:
            Watched(late)
        except ValueError:
            raise RuntimeError("passed on")
        Other(size)
    def _check(size):
        if size < 0: raise ValueError("negative")
    class Watched:
        def __init__(self, late):
            if not late: raise TypeError
    class Other:
        def __init__(self, size):
            if size == 7: raise KeyError(size)
    """,
        watched=("pkg:Watched",),
    )

    assert [(item.where, item.test, item.raises) for item in case.refusals] == [
        ("f", "size < 0", "ValueError"),
        ("f", "not (size > 1)", "AssertionError"),
        ("Watched", "not late", "TypeError"),
    ]
    assert case.beneath == ("KeyError if size == 7",)


def test_a_default_that_is_chosen_inside_is_recorded() -> None:
    """None stands for what the entry puts in its place."""
    case = case_of("""
    USUAL, PLAIN = 1, 2
    def f(norm=True, config=None):
        config = _default(config, norm)
    def _default(config, norm):
        if config is not None:
            return config
        return USUAL if norm else PLAIN
    """)

    assert case.defaults == {"config": ("PLAIN", "USUAL")}


def test_recursion_and_strange_code_end() -> None:
    """Nothing that Python accepts makes reading hang or fail."""
    case = case_of("""
    import lib as l
    async def g(x, /, *a, k=1, **kw):
        async with x as (y, *z):
            async for i, j in y:
                await f(i)
        match x:
            case [1, q]: return q
            case _: return f(*a, **kw)
    def f(x=None, *, y=(lambda v: v)(1)):
        global w
        w = [f(i) for i in range(3) if (n := i)] or {k: v for k, v in x}
        x.a.b[0], (c, d) = w, x
        while True:
            x += 1
            if x: break
        else:
            del x
        return f(g(1)(2)) if x else l.cudaMalloc(f"{x!r:>{y}}", *w)
    class f2(f): ...
    """)

    assert list(case.reaches) == ["cudaMalloc"]
