"""The insides of a release, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftgate.insides.conditions import Path


@dataclass(frozen=True)
class ImportEffect:
    """Something that importing the root package does beside binding names.

    Attributes:
        what: The dotted name of the module imported, of the callable called, or of the class
            subscripted.
        module: The module that does it.
        guarded: Whether it stands under ``try`` or a condition, or the whole module does.
    """

    what: str
    module: str
    guarded: bool = False


@dataclass(frozen=True)
class Refusal:
    """A place where a release raises by its own decision.

    Attributes:
        where: The function or class, without its module.
        test: The innermost condition as source text; empty where nothing else can happen.
        raises: The exception's name.
        needs: Parameters of the entry that the conditions depend on.
        options: Those that a caller must give for them to hold.
        hinges: Parameters that the conditions hinge on: what surely holds where they are left to
            their defaults is no matter of theirs.
        path: All conditions, as conjuncts that :mod:`driftgate.insides.conditions` reads.
    """

    where: str
    test: str
    raises: str
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    hinges: tuple[str, ...] = ()
    path: Path = ()

    @property
    def text(self) -> str:
        """What it raises and when, wherever that is."""
        return f"{self.raises} if {self.test}"


@dataclass(frozen=True)
class Case:
    """An entry point on one of its branches.

    Attributes:
        refused: Whether this branch can only raise.
        ignored: Parameters that reach no call on this branch, and no refusal depends on.
        reaches: Low-level symbols that it reaches, each with the parameters that a caller must
            give for that: left out, it is not reached.
        peers: What these rendezvous over, spelled in the entry's parameters, as ``reaches``.
        bodies: A fingerprint of each low-level symbol reached that the package itself defines.
        refusals: Where it raises, watched functions and classes that it reaches included.
        beneath: Refusals of classes that it makes instances of beside those, as ``raises if test``:
            what is refused there may come to be refused earlier.
        asks: Functions that this branch alone asks, each with a fingerprint of its body: what an
            automatic choice is made by.
        hands: What the entry hands to the functions and classes that it calls, as possibilities by
            ``callee(parameter)``.
        defaults: What the entry lets a parameter be that was left to a default of None.
        uses: When a parameter counts, as paths any of which is enough, of those that do not always.
        results: What the entry returns, ``3 values`` for a tuple of three, as ``reaches``; empty
            for a class.
    """

    refused: bool = False
    ignored: tuple[str, ...] = ()
    reaches: dict[str, tuple[str, ...]] = field(default_factory=dict)
    peers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
    refusals: tuple[Refusal, ...] = ()
    beneath: tuple[str, ...] = ()
    asks: dict[str, str] = field(default_factory=dict)
    hands: dict[str, tuple[str, ...]] = field(default_factory=dict)
    defaults: dict[str, tuple[str, ...]] = field(default_factory=dict)
    uses: dict[str, tuple[Path, ...]] = field(default_factory=dict)
    results: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A function or class that consumers call.

    Attributes:
        params: What it accepts, in order.
        cases: By branch; one with an empty name where the entry does not branch.
        members: Of each class of the package whose members it spells, all that there are.
    """

    params: tuple[str, ...]
    cases: dict[str, Case]
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Insides:
    """What one release does inside.

    Attributes:
        release: The version read.
        imports: Third-party modules imported with the root package.
        calls: Calls made while importing it; the standard library's are left out.
        deferred: Calls in functions of the modules imported, of what matters while importing.
        generics: Classes of the standard library that are subscripted while importing it;
            those of ``typing`` and ``collections.abc`` are left out.
        entries: By id; those that the release does not have are left out.
        bodies: A fingerprint of each watched function, and of each method as ``module:Class.name``.
    """

    release: str
    imports: tuple[ImportEffect, ...] = ()
    calls: tuple[ImportEffect, ...] = ()
    deferred: tuple[ImportEffect, ...] = ()
    generics: tuple[ImportEffect, ...] = ()
    entries: dict[str, Entry] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)
