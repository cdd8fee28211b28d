"""What the methods of a ``dict`` do to the keywords in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.calls.values import (
    Alternative,
    Constant,
    Keywords,
    Value,
    either,
    flatten,
    just,
    unknown,
)

if TYPE_CHECKING:
    from driftgate.calls.library import Arguments


def change(base: Value, method: str, given: Arguments, text: str) -> tuple[Value, Value]:
    """Call ``method`` on the mappings among ``base``.

    Args:
        base: What the method is called on.
        method: Its name.
        given: The arguments.
        text: The source text of ``base``.

    Returns:
        What ``base`` is afterwards, and what the call returns.
    """
    after, results = [], []
    for alternative in base:
        atom = alternative.atom
        if isinstance(atom, Keywords):
            changed, result = _change_one(atom, method, given, text)
            after.append(Alternative(changed, alternative.when))
            results.append(result)
        else:
            after.append(alternative)
    return tuple(after), either(*results)


def _change_one(  # noqa: PLR0911 - one return a method
    mapping: Keywords, method: str, given: Arguments, text: str
) -> tuple[Keywords, Value]:
    first = given.positional[0] if given.positional else None
    if method == "update":
        added = flatten(first, text) if first is not None else Keywords()
        return mapping.merge(added).merge(given.keywords), just(Constant(None))
    if method in {"copy", "items", "keys"}:
        return mapping, just(mapping)
    if method == "clear":
        return Keywords(), just(Constant(None))
    key = first[0].atom.value if first and isinstance(first[0].atom, Constant) else None
    entry = mapping.entry(key) if isinstance(key, str) else None
    found = entry.value if entry is not None else unknown(f"{text}.{method}(…)")
    if method == "pop" and isinstance(key, str):
        return mapping.drop(key), found
    if method == "setdefault" and isinstance(key, str):
        default = given.positional[1] if len(given.positional) > 1 else just(Constant(None))
        return (mapping if entry is not None else mapping.put(key, default)), found
    if method in {"get", "values", "__contains__"}:
        return mapping, found
    return mapping.merge(Keywords(unresolved=(f"{text}.{method}(…)",))), unknown(text)


def put_key(mapping: Keywords, key: Value, value: Value, text: str) -> Keywords:
    """Return ``mapping`` with ``key`` set; a key that is not known makes it unresolved."""
    for alternative in key:
        atom = alternative.atom
        if atom == Constant(None):
            continue
        if not isinstance(atom, Constant) or not isinstance(atom.value, str):
            return mapping.merge(Keywords(unresolved=(f"[{text}]",)))
        mapping = mapping.put(atom.value, value, alternative.when)
    return mapping
