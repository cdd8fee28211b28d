"""What a release's API looks like, as values.

Everything that Python would evaluate (defaults, annotations, bases) is kept as the text that the
release spells, so that nothing has to be imported or run to read, keep or compare a surface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class ParamKind(str, Enum):
    """How an argument can be given; the words of :class:`inspect.Parameter`."""

    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional-or-keyword"
    VAR_POSITIONAL = "var-positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "var-keyword"


@dataclass(frozen=True)
class Param:
    """One parameter.

    Attributes:
        name: As declared, without stars.
        kind: How an argument can be given for it.
        default: Source text of the default, or None where there is none.
        annotation: Source text of the annotation, quotes included, or None.
    """

    name: str
    kind: ParamKind
    default: str | None = None
    annotation: str | None = None


@dataclass(frozen=True)
class Function:
    """A function or method.

    Attributes:
        params: In order, ``self`` included.
        returns: Source text of the return annotation, or None.
        decorators: Outermost first, canonical: ``functools.cache``, ``flashinfer_api(trace=...)``.
            Arguments are reduced to their names; their values are not part of the surface.
    """

    params: tuple[Param, ...]
    returns: str | None = None
    decorators: tuple[str, ...] = ()

    def param(self, name: str) -> Param | None:
        """Return the parameter called ``name``, or None."""
        return next((param for param in self.params if param.name == name), None)


@dataclass(frozen=True)
class Constant:
    """A module constant, class attribute or enum member.

    Attributes:
        value: The folded value as a Python literal; the source text where it cannot be folded;
            None for an attribute that is only annotated.
        annotation: Source text of the annotation, or None.
    """

    value: str | None
    annotation: str | None = None


@dataclass(frozen=True)
class Class:
    """A class.

    Attributes:
        bases: Canonical names: ``enum.Enum``, or ``flashinfer.comm.x:Y`` within the package.
        decorators: As for :class:`Function`.
        members: Watched members by name, in order of definition.
    """

    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    members: dict[str, Function | Constant] = field(default_factory=dict)


@dataclass(frozen=True)
class Module:
    """A module that exists."""


Definition = Function | Class | Constant | Module


class Guard(str, Enum):
    """Whether a symbol is there in every installation.

    ``NONE``: always. ``TRY``: bound inside ``try`` or ``contextlib.suppress``. ``IF``: bound
    under a condition. ``LAZY``: handed out by the module's ``__getattr__``.
    """

    NONE = "none"
    TRY = "try"
    IF = "if"
    LAZY = "lazy"


@dataclass(frozen=True)
class Symbol:
    """One watched symbol in one release.

    Attributes:
        id: Where consumers look for it, ``flashinfer.comm:allreduce_fusion``; a module's id has
            no colon.
        definition: What it is; None where the release does not have it.
        defined_in: ``module:name`` of its definition, re-exports followed; empty when absent.
        guard: The weakest link between ``id`` and the definition.
        lazy_annotations: Whether the defining module postpones evaluation of annotations.
        names: Origins of the names that signatures and bases mention, ``{"torch": "torch",
            "Optional": "typing:Optional"}``. How a thing is spelled, so not compared.
    """

    id: str
    definition: Definition | None = None
    defined_in: str = ""
    guard: Guard = Guard.NONE
    lazy_annotations: bool = False
    names: dict[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Surface:
    """All watched symbols of one release.

    Attributes:
        release: The version read.
        symbols: By id, in the order of the target file.
    """

    release: str
    symbols: dict[str, Symbol]

    def same_shape(self, other: Surface) -> bool:
        """Whether both releases look alike to every consumer."""
        return self.symbols == other.symbols
