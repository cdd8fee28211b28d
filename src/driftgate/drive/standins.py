# ruff: noqa: ANN401 - a stand-in is whatever the consumer takes it for
"""Another project's modules, as far as an adapter foresees what its consumer asks of them.

A released module imports the rest of its engine. Those imports are answered by stand-ins that know
a list of dotted paths, such as ``engine.state.get_parallel().tp_size``, and what each one answers.
Importing a name that is not in the list is no harm; *touching* it (calling it, reading from it,
comparing it, inheriting from it) is an adapter gap: it ends the cell and is named in the result.
"""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import CodeType

_CALLED = "()"
# What Python looks up on a type, past ``__getattr__``; each would otherwise answer silently.
_TOUCHES = (
    "__bool__",
    "__contains__",
    "__delitem__",
    "__enter__",
    "__eq__",
    "__float__",
    "__format__",
    "__ge__",
    "__getitem__",
    "__gt__",
    "__index__",
    "__instancecheck__",
    "__int__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__mro_entries__",
    "__ne__",
    "__or__",
    "__ror__",
    "__setitem__",
    "__str__",
    "__subclasscheck__",
)


class AdapterGap(BaseException):
    """A stand-in was touched in a way that the adapter does not foresee.

    Not an :class:`Exception`: a consumer that catches broadly must not hide it.

    Attributes:
        path: What was touched: ``engine.state.get_parallel().tp_size``.
    """

    MARK: ClassVar[str] = "adapter-gap: "

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"{self.MARK}{path}")


class UnknownAnswerError(DriftgateError, LookupError):
    """A row gives a stand-in an answer that its driver does not have.

    Attributes:
        path: The row.
        answer: The answer it names.
    """

    def __init__(self, path: str, answer: str, known: Iterable[str]) -> None:
        self.path = path
        self.answer = answer
        super().__init__(
            f"stand-in {path!r}: no answer is called {answer!r}; known: {', '.join(sorted(known))}"
        )


class Answers:
    """What the stand-ins of one consumer answer.

    Args:
        rows: Name of the answer by dotted path; a path that ends with ``()`` is answered when it is
            called without arguments, any other when it is read.
        known: The driver's answers by name; asked anew at each touch.

    Raises:
        UnknownAnswerError: A row names no answer.
    """

    def __init__(self, rows: Mapping[str, str], known: Mapping[str, Callable[[], Any]]) -> None:
        for path, answer in rows.items():
            if answer not in known:
                raise UnknownAnswerError(path, answer, known)
        self._answers = {path: known[answer] for path, answer in rows.items()}
        self._ways = {way for path in rows for way in _ways(path)}

    def touched(self, path: str) -> Any:
        """Return what is found at ``path``.

        Raises:
            AdapterGap: No row leads there.
        """
        if path in self._answers:
            return self._answers[path]()
        if path in self._ways:
            return StandIn(path, self)
        raise AdapterGap(path)

    def imported(self, path: str) -> Any:
        """Return what is found at ``path`` of a module: a stand-in where no row leads there."""
        return self._answers[path]() if path in self._answers else StandIn(path, self)


def _ways(path: str) -> Iterable[str]:
    """Yield every part of a path that something further lies behind."""
    for place, letter in enumerate(path):
        if letter == "." or path[place:] == _CALLED or path.startswith("().", place):
            yield path[:place]


class StandIn:
    """One thing of another project that rows lead through, or that none leads to."""

    def __init__(self, path: str, answers: Answers) -> None:
        vars(self)["_path"] = path
        vars(self)["_answers"] = answers

    def __getattr__(self, name: str) -> Any:
        return self._answers.touched(f"{self._path}.{name}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AdapterGap(f"{self._path}.{name} = …")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Answer as a row says, which foresees no arguments."""
        if args or kwargs:
            raise AdapterGap(f"{self._path}(…)")
        return self._answers.touched(f"{self._path}{_CALLED}")

    def __repr__(self) -> str:
        return f"<stand-in {self._path}>"

    def __hash__(self) -> int:
        # Annotations put what they name into sets.
        return id(self)


def _gap(name: str) -> Callable[..., Any]:
    def touch(self: StandIn, *_: Any) -> Any:
        raise AdapterGap(f"{self._path}.{name}")

    return touch


for _name in _TOUCHES:
    setattr(StandIn, _name, _gap(_name))


class _StandInModule(ModuleType):
    """A module of the other project that is not the consumer's own."""

    answers: Answers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system's own questions
            raise AttributeError(name)
        return self.answers.imported(f"{self.__name__}.{name}")


@dataclass(frozen=True)
class Part:
    """One file of a consumer, as a module.

    Attributes:
        name: The module's dotted name in its project.
        path: Its path there: what call sites are told as.
        text: Its source.
    """

    name: str
    path: str
    text: str

    @classmethod
    def of(cls, path: str, text: str) -> Part:
        """Name the module after its path, ``engine/layers/fusion.py``."""
        return cls(path.removesuffix(".py").replace("/", "."), path, text)


class ForeignProject(MetaPathFinder, Loader):
    """The import system's view of a project of which only some modules are there.

    Args:
        parts: The modules that are there.
        answers: What all others answer.
    """

    def __init__(self, parts: Sequence[Part], answers: Answers) -> None:
        self._parts = {part.name: part for part in parts}
        self._codes: dict[str, CodeType] = {}
        self._roots = {name.partition(".")[0] for name in self._parts}
        self._answers = answers

    def install(self) -> None:
        """Answer imports of the project from here on, whether or not it is installed."""
        sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: Any = None
    ) -> ModuleSpec | None:
        """Answer for everything below the project's top-level package."""
        if fullname.partition(".")[0] not in self._roots:
            return None
        return ModuleSpec(fullname, self, is_package=fullname not in self._parts)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make a stand-in, or leave the making to the import system."""
        if spec.name in self._parts:
            return None
        module = _StandInModule(spec.name)
        module.answers = self._answers
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that is there; run again, it forgets what it has become."""
        part = self._parts.get(module.__name__)
        if part is None:
            return
        code = self._codes.get(part.name)
        if code is None:
            code = self._codes[part.name] = compile(part.text, part.path, "exec")
            lines = part.text.splitlines(keepends=True)
            linecache.cache[part.path] = (len(part.text), None, lines, part.path)
        exec(code, vars(module))  # noqa: S102 - a released module, in a process of its own
