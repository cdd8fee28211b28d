"""What a consumer's source asks of the upstream, as values."""

from __future__ import annotations

from dataclasses import dataclass

from driftgate.calls.conditions import ALWAYS, Condition, describe


@dataclass(frozen=True)
class Source:
    """One file of a consumer.

    Attributes:
        path: As shown in reports, relative to the consumer's root.
        text: The whole file.
    """

    path: str
    text: str

    @property
    def module(self) -> str:
        """Dotted name of the module that the path spells."""
        parts = self.path.removesuffix(".py").split("/")
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """Dotted name of the package that relative imports start from."""
        if self.path.endswith("__init__.py"):
            return self.module
        return self.module.rpartition(".")[0]


@dataclass(frozen=True, order=True)
class Site:
    """A place in a consumer.

    Attributes:
        path: The file.
        line: 1-based.
        column: 0-based; tells two calls on one line apart.
    """

    path: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class SentKeyword:
    """A keyword that a call can send.

    Attributes:
        name: The keyword.
        when: The condition it is sent under.
    """

    name: str
    when: Condition = ALWAYS

    @property
    def always(self) -> bool:
        """Whether every call sends it."""
        return self.when == ALWAYS


@dataclass(frozen=True)
class Call:
    """One call into the upstream.

    Attributes:
        symbol: Dotted path of what is called. ``a.f()`` stands for what ``a.f`` returned, so a
            workspace's method is ``a.f().method``.
        site: Where.
        positional: How many arguments are given by position.
        keywords: What can be given by keyword.
        unresolved: What could not be followed, such as ``**options``.
        when: The condition for the call to be made at all.
        by_name: Whether it is only known that the symbol's name is looked up.
    """

    symbol: str
    site: Site
    positional: int = 0
    keywords: tuple[SentKeyword, ...] = ()
    unresolved: tuple[str, ...] = ()
    when: Condition = ALWAYS
    by_name: bool = False

    def keyword(self, name: str) -> SentKeyword | None:
        """Return the keyword ``name`` where the call can send it."""
        return next((keyword for keyword in self.keywords if keyword.name == name), None)

    def as_dict(self) -> dict[str, object]:
        """Return plain containers, for JSON."""
        return {
            "symbol": self.symbol,
            "site": str(self.site),
            "positional": self.positional,
            "always": [keyword.name for keyword in self.keywords if keyword.always],
            "maybe": {k.name: describe(k.when) for k in self.keywords if not k.always},
            "unresolved": list(self.unresolved),
            "when": describe(self.when),
        }


@dataclass(frozen=True)
class Mention:
    """A name of the upstream that a consumer relies on without calling it.

    Attributes:
        symbol: Dotted path, as in :class:`Call`.
        site: Where.
        when: The condition for the mention to be reached.
        probed: Whether the consumer survives its absence (``hasattr``, ``getattr`` with a
            default, an import inside ``try``).
    """

    symbol: str
    site: Site
    when: Condition = ALWAYS
    probed: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return plain containers, for JSON."""
        return {
            "symbol": self.symbol,
            "site": str(self.site),
            "when": describe(self.when),
            "probed": self.probed,
        }


@dataclass(frozen=True)
class Usage:
    """All that a consumer's sources ask of the upstream.

    Attributes:
        calls: Calls, in order of site.
        imports: Names imported.
        reads: Attributes read on the module, its members, or what its calls returned.
        subclasses: Upstream classes that the consumer subclasses.
        patches: Upstream names that the consumer assigns to.
    """

    calls: tuple[Call, ...] = ()
    imports: tuple[Mention, ...] = ()
    reads: tuple[Mention, ...] = ()
    subclasses: tuple[Mention, ...] = ()
    patches: tuple[Mention, ...] = ()
