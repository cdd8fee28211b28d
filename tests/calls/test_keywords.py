"""Which keywords a call can send, whatever way the consumer puts them together."""

from __future__ import annotations

import pytest

from calls.snippets import MAKE, always, maybe, only_call, read
from driftgate.calls.conditions import describe, holds

ALL_SENT = {
    "plain": """
        import flashinfer.comm as comm
        def start(w):
            comm.make(world=w, rank=0)
        """,
    "from import under another name": """
        from flashinfer.comm import make as create
        create(world=1, rank=0)
        """,
    "package imported whole": """
        import flashinfer.comm
        flashinfer.comm.make(world=1, rank=0)
        """,
    "import_module": """
        import importlib
        importlib.import_module("flashinfer.comm").make(world=1, rank=0)
        """,
    "dict literal": """
        import flashinfer.comm as comm
        def start():
            kw = {"world": 1, "rank": 0}
            comm.make(**kw)
        """,
    "dict call, then update and a key": """
        import flashinfer.comm as comm
        def start():
            kw = dict(world=1)
            kw.update({"gone": 2})
            kw.setdefault("rank", 0)
            kw.pop("gone")
            comm.make(**kw)
        """,
    "dict union": """
        import flashinfer.comm as comm
        def start(extra):
            base = {"world": 1}
            base |= {"rank": 0}
            comm.make(**(base | {}))
        """,
    "spread in a literal": """
        import flashinfer.comm as comm
        BASE = {"world": 1}
        def start():
            comm.make(**{**BASE, "rank": 0})
        """,
    "partial": """
        import functools
        import flashinfer.comm as comm
        make = functools.partial(comm.make, world=1)
        def start():
            make(rank=0)
        """,
    "stored on self": """
        import flashinfer.comm as comm
        class Manager:
            def __init__(self):
                self.create = comm.make
                self.options = dict(world=1, rank=0)
            def start(self):
                return self.create(**self.options)
        """,
    "bound to a global in a function": """
        _make = None
        def load():
            global _make
            from flashinfer.comm import make
            _make = make
        def start():
            if _make is not None:
                _make(world=1, rank=0)
        """,
    "built by a helper": """
        import flashinfer.comm as comm
        def _options(world):
            kw = dict(world=world)
            kw["rank"] = 0
            return kw
        def start():
            comm.make(**_options(4))
        """,
    "filled by a helper": """
        import flashinfer.comm as comm
        def _add_rank(options):
            options["rank"] = 0
        def start():
            kw = dict(world=1)
            _add_rank(kw)
            comm.make(**kw)
        """,
    "passed through a private wrapper": """
        import flashinfer.comm as comm
        def _create(**kw):
            return comm.make(**kw)
        def start():
            _create(world=1, rank=0)
        """,
    "a loop over literals": """
        import flashinfer.comm as comm
        def start():
            kw = {}
            for name, value in (("world", 1), ("rank", 0)):
                kw[name] = value
            comm.make(**kw)
        """,
    "imported from a file beside it": """
        from eng.beside import create
        def start():
            create(world=1, rank=0)
        """,
    "stored on self by a base class": """
        import flashinfer.comm as comm
        class Base:
            def __init__(self):
                self.create = comm.make
        class Manager(Base):
            def start(self):
                return self.create(world=1, rank=0)
        """,
    "after a loop that is left": """
        import flashinfer.comm as comm
        def start(ready):
            while True:
                ready()
                break
            comm.make(world=1, rank=0)
        """,
    "found by getattr": """
        import flashinfer.comm as comm
        def start():
            create = getattr(comm, "make", None)
            if create is None:
                return
            create(world=1, rank=0)
        """,
    "both branches": """
        import flashinfer.comm as comm
        def start(cpu):
            if cpu:
                kw = dict(world=1, rank=0)
            else:
                kw = dict(world=2, rank=1)
            comm.make(**kw)
        """,
    "through an object of another class": """
        import flashinfer.comm as comm
        from dataclasses import dataclass
        @dataclass
        class Api:
            create: object
        def load():
            return Api(create=comm.make)
        def start():
            load().create(world=1, rank=0)
        """,
}


@pytest.mark.parametrize("way", ALL_SENT)
def test_keywords_that_are_always_sent(way: str) -> None:
    """However it is spelled, each of these calls sends ``world`` and ``rank``, and no more."""
    beside = "from flashinfer.comm import make as create\n"

    call = only_call(ALL_SENT[way], beside=beside)

    assert always(call) == {"world", "rank"}
    assert not maybe(call)
    assert not call.positional
    assert not call.unresolved
    assert holds(call.when, lambda _: True) is not False


SOMETIMES_SENT = {
    "a key under if": (
        """
        import flashinfer.comm as comm
        def start(group):
            kw = dict(world=1)
            if group is not None:
                kw["group"] = group
            comm.make(**kw)
        """,
        "group is not None",
    ),
    "an update under else": (
        """
        import flashinfer.comm as comm
        def start(plain):
            kw = dict(world=1)
            if plain:
                pass
            else:
                kw.update(group=0)
            comm.make(**kw)
        """,
        "not (plain)",
    ),
    "removed under if": (
        """
        import flashinfer.comm as comm
        def start(plain):
            kw = dict(world=1, group=0)
            if plain:
                del kw["group"]
            comm.make(**kw)
        """,
        "not (plain)",
    ),
    "a conditional expression": (
        """
        import flashinfer.comm as comm
        def start(group):
            comm.make(world=1, **({"group": group} if group else {}))
        """,
        "group",
    ),
    "after an early return of a helper": (
        """
        import flashinfer.comm as comm
        def _options(plain):
            kw = dict(world=1)
            if plain:
                return kw
            kw["group"] = 0
            return kw
        def start(plain):
            comm.make(**_options(plain))
        """,
        "not (plain)",
    ),
    "one caller of two": (
        """
        import flashinfer.comm as comm
        def _create(**kw):
            comm.make(world=1, **kw)
        def start():
            _create(group=0)
        def restart():
            _create()
        """,
        "depends on the caller",
    ),
}


@pytest.mark.parametrize("way", SOMETIMES_SENT)
def test_keywords_that_are_sometimes_sent(way: str) -> None:
    """``group`` is sent under a condition, which is told as the source spells it."""
    text, condition = SOMETIMES_SENT[way]

    call = only_call(text)
    [keyword] = [keyword for keyword in call.keywords if keyword.name == "group"]

    assert always(call) == {"world"}
    assert not keyword.always
    assert condition in describe(keyword.when)
    assert not call.unresolved


def test_a_mapping_on_self_that_another_method_fills() -> None:
    """What the other method adds is not lost."""
    call = only_call("""
        import flashinfer.comm as comm
        class Manager:
            def start(self):
                self.options = dict(world=1)
                self._add_group()
                comm.make(**self.options)
            def _add_group(self):
                self.options["group"] = 0
        """)

    assert {"world", "group"} <= always(call) | maybe(call)


UNRESOLVED = {
    "a public wrapper": (
        """
        import flashinfer.comm as comm
        def create(**options):
            comm.make(world=1, **options)
        """,
        "**options",
    ),
    "an option object": (
        """
        import flashinfer.comm as comm
        def start(config):
            comm.make(world=1, **config.options())
        """,
        "**config.options()",
    ),
    "a key that is not known": (
        """
        import flashinfer.comm as comm
        def start(name):
            kw = dict(world=1)
            kw[name] = 0
            comm.make(**kw)
        """,
        "[name]",
    ),
    "a mapping that somebody else may change": (
        """
        import flashinfer.comm as comm
        from eng.elsewhere import adjust
        def start():
            kw = dict(world=1)
            adjust(kw)
            comm.make(**kw)
        """,
        "adjust(kw)",
    ),
    "positional arguments that are not known": (
        """
        import flashinfer.comm as comm
        def start(*sizes):
            comm.make(*sizes, world=1)
        """,
        "*sizes",
    ),
    "a receiver that is not known": (
        """
        import flashinfer.comm
        from eng.elsewhere import api
        def start():
            api().make(world=1)
        """,
        "what api() is",
    ),
}


@pytest.mark.parametrize("way", UNRESOLVED)
def test_what_cannot_be_followed_is_said(way: str) -> None:
    """The call is reported with what is known of it, and with what is not."""
    text, doubt = UNRESOLVED[way]

    call = only_call(text)

    assert "world" in always(call)
    assert any(doubt in text for text in call.unresolved)


def test_a_function_that_is_only_named_is_reported() -> None:
    """A consumer that looks functions up by strings cannot be followed; that is said too."""
    call = only_call("""
        import flashinfer.comm as comm
        WANTED = "make"
        def start():
            vars(comm)[WANTED](world=1)
        """)

    assert call.by_name
    assert call.site.line == 3
    assert call.unresolved


def test_a_name_that_the_consumer_defines_itself_is_its_own() -> None:
    """A method that happens to be called like the upstream's says nothing on an unknown object."""
    usage = read("""
        import flashinfer.comm as comm
        class Manager:
            def size_ok(self, tokens):
                return tokens < 8
        def fits(manager):
            return manager.size_ok(3)
        """)

    assert not usage.calls


@pytest.mark.parametrize("loop", ["for kind in kinds():", "while more():", "for kind in (1, 2):"])
def test_what_a_loop_binds_before_it_is_left(loop: str) -> None:
    """A workspace made in a loop is a workspace after it."""
    usage = read(f"""
        import flashinfer.comm as comm
        def start(kinds, more):
            workspace = None
            {loop}
                workspace = comm.make(world=1)
                break
            return workspace.size_ok(tokens=3)
        """)

    assert [call.symbol for call in usage.calls] == [MAKE, f"{MAKE}().size_ok"]
    assert not usage.calls[1].unresolved


def test_positional_arguments_are_counted() -> None:
    """Two by position, one of them out of a literal tuple."""
    call = only_call("""
        import flashinfer.comm as comm
        def start(w):
            comm.make(w, *(0,), hidden=8)
        """)

    assert call.positional == 2
    assert always(call) == {"hidden"}


def test_the_site_is_the_line_of_the_call() -> None:
    """The file and line that a maintainer opens."""
    call = only_call("import flashinfer.comm as comm\n\n\nx = comm.make()\n")

    assert str(call.site) == "eng/fusion.py:4"
