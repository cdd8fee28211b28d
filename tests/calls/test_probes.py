"""What a consumer asks the upstream before it calls, and which answers a call needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from calls.snippets import MAKE, UPSTREAM, only_call, read
from driftgate.calls.conditions import Exists, Question, Takes, holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.calls.conditions import Condition

GROUP = Takes(MAKE, "group")

PROBED = {
    "a flag": """
        import inspect
        import flashinfer.comm as comm
        _TAKES_GROUP = "group" in inspect.signature(comm.make).parameters
        def start(group):
            kw = {}
            if _TAKES_GROUP:
                kw["group"] = group
            comm.make(**kw)
        """,
    "a flag set under a guard": """
        import flashinfer.comm as comm
        from inspect import signature
        _takes_group = False
        if hasattr(comm, "make"):
            names = signature(comm.make).parameters
            _takes_group = "group" in names
        def start(group):
            comm.make(**(dict(group=group) if _takes_group else {}))
        """,
    "a helper that reads a signature": """
        import inspect
        import flashinfer.comm as comm
        def _names(function):
            try:
                return frozenset(inspect.signature(function).parameters)
            except (TypeError, ValueError):
                return frozenset()
        def start(group):
            kw = dict()
            if "group" in _names(comm.make):
                kw["group"] = group
            comm.make(**kw)
        """,
    "an early return": """
        import inspect
        import flashinfer.comm as comm
        def _with_group(kw, group):
            if "group" not in inspect.signature(comm.make).parameters:
                return
            kw["group"] = group
        def start(group):
            kw = {}
            _with_group(kw, group)
            comm.make(**kw)
        """,
    "a filtered mapping": """
        import inspect
        import flashinfer.comm as comm
        def start(group):
            kw = dict(world=1, group=group)
            taken = inspect.signature(comm.make).parameters
            comm.make(**{name: value for name, value in kw.items() if name in taken})
        """,
    "a loop over flags": """
        import inspect
        import flashinfer.comm as comm
        _TAKEN = set(inspect.signature(comm.make).parameters)
        def start(group, backend):
            kw = {}
            for name, value in (("group", group), ("backend", backend)):
                if name not in _TAKEN:
                    continue
                kw[name] = value
            comm.make(**kw)
        """,
    "a method that finds the dialect": """
        import inspect
        import flashinfer.comm as comm
        class Manager:
            def __init__(self):
                self.hint = None
            def look(self):
                names = inspect.signature(comm.make).parameters
                if "group" in names:
                    self.hint = "group"
                elif "team" in names:
                    self.hint = "team"
            def start(self, group):
                kw = {}
                if self.hint == "group":
                    kw["group"] = group
                return comm.make(**kw)
        """,
    "a helper that reads a global bound under a guard": """
        import inspect
        _comm = None
        def _takes(name):
            return name in inspect.signature(_comm.make).parameters
        try:
            import flashinfer.comm as comm
            _comm = comm
            _TAKES_GROUP = _takes("group")
        except ImportError:
            _TAKES_GROUP = False
        def start(group):
            if _comm is not None:
                _comm.make(**({"group": group} if _TAKES_GROUP else {}))
        """,
    "capabilities in a dataclass": """
        import inspect
        from dataclasses import dataclass
        import flashinfer.comm as comm
        @dataclass(frozen=True)
        class Capabilities:
            group: bool
        def _probe():
            return Capabilities(group="group" in inspect.signature(comm.make).parameters)
        def start(group):
            kw = {}
            if _probe().group:
                kw["group"] = group
            comm.make(**kw)
        """,
}


def answers(*yes: Question) -> Callable[[Question], bool | None]:
    """Everything exists; of parameters only those named are taken."""
    return lambda question: question in yes or isinstance(question, Exists)


def sent(text: str, name: str = "group") -> Condition:
    """When the one call sends ``name``."""
    keyword = only_call(text).keyword(name)
    assert keyword is not None
    return keyword.when


@pytest.mark.parametrize("way", PROBED)
def test_a_probed_keyword_goes_only_where_it_is_taken(way: str) -> None:
    """Certainly not sent where the signature lacks it; possibly sent where it has it."""
    when = sent(PROBED[way])

    assert holds(when, answers()) is False
    assert holds(when, answers(GROUP)) is not False


@pytest.mark.parametrize("way", ["a flag", "a filtered mapping", "a loop over flags"])
def test_a_probe_alone_makes_sending_certain(way: str) -> None:
    """Where nothing but the signature decides, it is sent wherever it is taken."""
    assert holds(sent(PROBED[way]), answers(GROUP)) is True


def test_the_other_dialect_is_sent_where_the_first_is_not_taken() -> None:
    """``elif`` needs both answers: the first name is missing, the second is there."""
    when = sent(
        """
        import inspect
        import flashinfer.comm as comm
        def start(value):
            names = inspect.signature(comm.make).parameters
            kw = {}
            if "group" in names:
                kw["group"] = value
            elif "team" in names:
                kw["team"] = value
            comm.make(**kw)
        """,
        "team",
    )

    assert holds(when, answers(GROUP, Takes(MAKE, "team"))) is False
    assert holds(when, answers(Takes(MAKE, "team"))) is True


GUARDED = {
    "hasattr": """
        import flashinfer.comm as comm
        _comm = comm if hasattr(comm, "make") else None
        def start():
            if _comm is not None:
                _comm.make()
        """,
    "a guarded rebinding": """
        _comm = None
        try:
            import flashinfer.comm as comm
            if hasattr(comm, "make"):
                _comm = comm
        except ImportError:
            pass
        def start():
            if _comm is None:
                return None
            return _comm.make()
        """,
    "a failed import of the name": """
        try:
            from flashinfer.comm import make
        except ImportError:
            make = None
        def start():
            return make() if make else None
        """,
    "suppressed": """
        from contextlib import suppress
        make = None
        with suppress(ImportError):
            from flashinfer.comm import make
        def start():
            assert make is not None
            make()
        """,
    "defined under a guard": """
        import flashinfer.comm as comm
        if hasattr(comm, "make"):
            def start():
                comm.make()
        """,
}


@pytest.mark.parametrize("way", GUARDED)
def test_a_guarded_call_is_not_made_where_the_symbol_is_missing(way: str) -> None:
    """The call needs the symbol to exist, and says so."""
    call = only_call(GUARDED[way])
    missing = Exists(MAKE)

    assert holds(call.when, lambda question: question != missing) is False
    assert holds(call.when, lambda _: True) is not False


def test_a_refusal_of_two_questions_at_once() -> None:
    """Past ``if not both: return`` both were answered by yes."""
    call = only_call("""
        import inspect
        import flashinfer.comm as comm
        names = inspect.signature(comm.make).parameters
        both = "group" in names and "team" in names
        def start():
            if not both:
                return
            comm.make(group=0, team=1)
        """)

    assert holds(call.when, answers(GROUP)) is False
    assert holds(call.when, answers(GROUP, Takes(MAKE, "team"))) is True


def test_an_early_return_in_one_branch_leaves_a_doubt() -> None:
    """The call may be made without the question having been asked."""
    call = only_call("""
        import inspect
        import flashinfer.comm as comm
        def start(careful):
            if careful:
                if "group" not in inspect.signature(comm.make).parameters:
                    return
            comm.make(group=0)
        """)

    assert holds(call.when, answers()) is None


def test_a_call_without_a_guard_is_made() -> None:
    """Nothing keeps this one from an AttributeError."""
    call = only_call("import flashinfer.comm as comm\ndef start():\n    comm.make()\n")

    assert holds(call.when, lambda _: False) is True


def test_a_check_that_time_can_change_does_not_hide_a_call() -> None:
    """What a method sets may be set by the time it is looked at again."""
    usage = read("""
        import flashinfer.comm as comm
        class Manager:
            def __init__(self):
                self.workspace = None
            def start(self):
                if self.workspace is None:
                    self.workspace = comm.make()
                    if self.workspace is not None:
                        self.workspace.destroy()
        """)

    assert [call.symbol for call in usage.calls] == [MAKE, f"{MAKE}().destroy"]
    assert holds(usage.calls[1].when, lambda _: True) is not False


def test_a_method_of_what_a_call_returned_is_a_call_of_its_own() -> None:
    """A workspace kept on an object of the consumer's is still a workspace."""
    usage = read("""
        import flashinfer.comm as comm
        class Manager:
            def start(self):
                self.workspace = comm.make()
            def fits(self, tokens):
                return self.workspace.size_ok(tokens=tokens)
        MANAGERS = {}
        def fits(name):
            manager = MANAGERS.get(name)
            if manager is None:
                manager = MANAGERS[name] = Manager()
            return manager.fits(3)
        """)

    [check] = [call for call in usage.calls if call.symbol == f"{MAKE}().size_ok"]
    assert [keyword.name for keyword in check.keywords] == ["tokens"]
    assert not check.unresolved


def test_imports_reads_subclasses_and_patches_are_listed() -> None:
    """Whatever else would break when the upstream changes, with its line."""
    usage = read("""
        import flashinfer.comm as comm
        from flashinfer.comm.parts import Backend
        class Ours(Backend):
            def __init__(self, group):
                super().__init__(group=group)
        def start():
            workspace = comm.make(kind=comm.Kind.fast)
            comm.limit = 3
            return getattr(workspace, "pointer", 0), workspace.backend
        """)

    assert [(one.symbol, one.site.line) for one in usage.imports] == [
        (UPSTREAM, 2),
        (f"{UPSTREAM}.parts.Backend", 3),
    ]
    assert [(one.symbol, one.site.line) for one in usage.subclasses] == [
        (f"{UPSTREAM}.parts.Backend", 4)
    ]
    assert [(one.symbol, one.site.line) for one in usage.patches] == [(f"{UPSTREAM}.limit", 9)]
    assert {(one.symbol, one.probed) for one in usage.reads} == {
        (f"{UPSTREAM}.Kind", False),
        (f"{UPSTREAM}.Kind.fast", False),
        (f"{MAKE}().pointer", True),
        (f"{MAKE}().backend", False),
    }
    [base] = [call for call in usage.calls if call.symbol == f"{UPSTREAM}.parts.Backend"]
    assert base.site.line == 6
    assert [keyword.name for keyword in base.keywords] == ["group"]
