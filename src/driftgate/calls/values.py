"""What an expression in a consumer can stand for, as far as upstream calls go."""

from __future__ import annotations

from dataclasses import dataclass

from driftgate.calls.conditions import ALWAYS, Condition, all_of, any_of, distil, opaque

MOST_ALTERNATIVES = 12


@dataclass(frozen=True)
class Unknown:
    """Anything at all; ``text`` is the expression."""

    text: str


@dataclass(frozen=True)
class Constant:
    """A literal; ``None`` included."""

    value: object


@dataclass(frozen=True)
class Upstream:
    """Something of the upstream, by dotted path.

    What a call returned is the path and ``()``:
    ``flashinfer.comm.create_allreduce_fusion_workspace()``.
    """

    path: str

    @property
    def returned(self) -> bool:
        """Whether it came out of a call, so that it may be anything."""
        return "()" in self.path


@dataclass(frozen=True)
class Imported:
    """Something else that is not defined here, by dotted path: ``inspect.signature``."""

    path: str


@dataclass(frozen=True)
class Parameters:
    """The parameter names (or the signature) of the upstream callable ``symbol``."""

    symbol: str


@dataclass(frozen=True)
class Flag:
    """A boolean that holds where ``condition`` does."""

    condition: Condition


@dataclass(frozen=True)
class Entry:
    """One key of a mapping, and when it is there."""

    key: str
    value: Value
    when: Condition = ALWAYS


@dataclass(frozen=True)
class Keywords:
    """A mapping with string keys; ``unresolved`` names what else may have gone into it."""

    entries: tuple[Entry, ...] = ()
    unresolved: tuple[str, ...] = ()

    def entry(self, key: str) -> Entry | None:
        """Return the entry of ``key``, or None."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def drop(self, key: str) -> Keywords:
        """Return a mapping without ``key``."""
        return Keywords(tuple(e for e in self.entries if e.key != key), self.unresolved)

    def put(self, key: str, value: Value, when: Condition = ALWAYS) -> Keywords:
        """Return a mapping in which ``key`` is set where ``when`` holds."""
        before = self.entry(key)
        if before is not None:
            if when != ALWAYS:
                value, when = either(value, before.value), any_of(when, before.when)
            entries = tuple(Entry(key, value, when) if e is before else e for e in self.entries)
            return Keywords(entries, self.unresolved)
        return Keywords((*self.entries, Entry(key, value, when)), self.unresolved)

    def merge(self, other: Keywords) -> Keywords:
        """Return what ``{**self, **other}`` holds."""
        merged = self
        for entry in other.entries:
            merged = merged.put(entry.key, entry.value, entry.when)
        missing = tuple(text for text in other.unresolved if text not in merged.unresolved)
        return Keywords(merged.entries, merged.unresolved + missing)


@dataclass(frozen=True)
class Items:
    """A tuple or list literal."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Partial:
    """``functools.partial(target, ...)``."""

    target: Value
    positional: tuple[Value, ...]
    keywords: Keywords


@dataclass(frozen=True)
class Local:
    """A function of the consumer, by key; ``this`` is what a method is bound to."""

    key: str
    this: Value = ()


@dataclass(frozen=True)
class LocalClass:
    """A class of the consumer, by key."""

    key: str


@dataclass(frozen=True)
class LocalObject:
    """An object of one of the consumer's classes; all objects of a class are taken as one."""

    key: str


@dataclass(frozen=True)
class Above:
    """``super()`` in a method of the class ``key``, for the object ``this``."""

    key: str
    this: Value


Atom = (
    Unknown
    | Constant
    | Upstream
    | Imported
    | Parameters
    | Flag
    | Keywords
    | Items
    | Partial
    | Local
    | LocalClass
    | LocalObject
    | Above
)


@dataclass(frozen=True)
class Alternative:
    """One thing that a value can be, and when."""

    atom: Atom
    when: Condition = ALWAYS


Value = tuple[Alternative, ...]


def just(atom: Atom) -> Value:
    """Return the value that is always ``atom``."""
    return (Alternative(atom),)


def unknown(text: str) -> Value:
    """Return a value that nothing is known of."""
    return just(Unknown(text))


def either(*values: Value) -> Value:
    """Return a value that is one of ``values``."""
    found: dict[Atom, Condition] = {}
    for value in values:
        for alternative in value:
            before = found.get(alternative.atom)
            when = alternative.when if before is None else any_of(before, alternative.when)
            found[alternative.atom] = when
    if len(found) > MOST_ALTERNATIVES:
        return unknown("one of many values")
    return tuple(Alternative(atom, when) for atom, when in found.items())


def under(value: Value, condition: Condition) -> Value:
    """Return ``value`` where ``condition`` must hold as well."""
    return tuple(Alternative(a.atom, all_of(condition, a.when)) for a in value)


def distilled(value: Value, condition: Condition = ALWAYS) -> Value:
    """Return ``value`` under ``condition``, with no more of either than a release can answer."""
    return tuple(Alternative(a.atom, distil(all_of(condition, a.when))) for a in value)


def sometimes(name: str, values: list[Value]) -> Value:
    """Join what different places give the name ``name``, in no known order.

    One value given everywhere is certain. Otherwise each is possible under its own condition,
    and whether it is the one in force is not known.
    """
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return distinct[0]
    return either(
        *(
            (Alternative(a.atom, all_of(a.when, opaque(f"{name} is {_short(a.atom)}"))),)
            for value in distinct
            for a in value
        )
    )


def join(one: Value, if_one: Condition, other: Value, if_other: Condition) -> Value:
    """Join what two branches left in one name; mappings are joined key by key."""
    if one == other:
        return one
    if len(one) == len(other) == 1:
        mine, theirs = one[0].atom, other[0].atom
        if isinstance(mine, Keywords) and isinstance(theirs, Keywords):
            return just(_join_keywords(mine, if_one, theirs, if_other))
    return either(under(one, if_one), under(other, if_other))


def flatten(value: Value, text: str) -> Keywords:
    """Return the keywords that ``**value`` sends; ``text`` names it where that is not known."""
    mappings = [(a.atom, a.when) for a in value if isinstance(a.atom, Keywords)]
    unresolved = [text for mapping, _ in mappings for text in mapping.unresolved]
    nothing = Constant(None)
    if not mappings or any(not isinstance(a.atom, Keywords) and a.atom != nothing for a in value):
        unresolved.append(f"**{text}")
    entries = []
    for key in dict.fromkeys(entry.key for mapping, _ in mappings for entry in mapping.entries):
        found = [(entry, when) for mapping, when in mappings if (entry := mapping.entry(key))]
        everywhere = len(found) == len(mappings)
        if everywhere and len({entry.when for entry, _ in found}) == 1:
            sent = found[0][0].when
        else:
            sent = any_of(*(all_of(when, entry.when) for entry, when in found))
            if sent == ALWAYS and not everywhere:
                sent = opaque(f"depends on {text}")
        entries.append(Entry(key, either(*(entry.value for entry, _ in found)), sent))
    return Keywords(tuple(entries), tuple(dict.fromkeys(unresolved)))


def _join_keywords(
    one: Keywords, if_one: Condition, other: Keywords, if_other: Condition
) -> Keywords:
    keys = dict.fromkeys(entry.key for entry in (*one.entries, *other.entries))
    entries = []
    for key in keys:
        mine, theirs = one.entry(key), other.entry(key)
        if mine is not None and theirs is not None:
            same = mine.when == theirs.when
            when = (
                mine.when
                if same
                else any_of(all_of(if_one, mine.when), all_of(if_other, theirs.when))
            )
            entries.append(Entry(key, join(mine.value, if_one, theirs.value, if_other), when))
        elif mine is not None:
            entries.append(Entry(key, mine.value, all_of(if_one, mine.when)))
        elif theirs is not None:
            entries.append(Entry(key, theirs.value, all_of(if_other, theirs.when)))
    unresolved = tuple(dict.fromkeys((*one.unresolved, *other.unresolved)))
    return Keywords(tuple(entries), unresolved)


def _short(atom: Atom) -> str:
    if isinstance(atom, Constant):
        return repr(atom.value)
    if isinstance(atom, Upstream | Imported):
        return atom.path
    if isinstance(atom, Unknown):
        return atom.text
    if isinstance(atom, Local | LocalClass | LocalObject):
        return atom.key
    return type(atom).__name__.lower()
