"""Write down every call that a consumer makes into ``flashinfer.comm``.

Watched callables are wrapped after the upstream's import and before the consumer's. A wrapper
keeps what ``inspect.signature`` says, records the attempt (also one that does not bind), and
holds no reference to any argument, so that lifetimes stay as they are. A callable whose
signature cannot be read is left alone: any wrapper would make it readable.
"""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

from driftgate.drive.describe import describe
from driftgate.trace import Event

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, ModuleType

    import torch

    from driftgate.trace import Json

_PACKAGE = "flashinfer"
CREATE = "create_allreduce_fusion_workspace"
_FUNCTIONS = (
    CREATE,
    "allreduce_fusion",
    "trtllm_create_ipc_workspace_for_all_reduce_fusion",
    "trtllm_allreduce_fusion",
)
_METHODS = ("is_buffer_size_sufficient", "destroy")
_WORKSPACE_SUFFIX = "AllReduceFusionWorkspace"
# Some consumers ask a validator a thousand times in one step; the first calls tell it all.
_ENOUGH = 40
_CACHE_METHODS = ("cache_info", "cache_clear", "cache_parameters")


class Observer:
    """What crossed the border since it was last taken.

    Attributes:
        signatures: Kind of each parameter of each watched symbol, as a consumer can see them;
            absent where the symbol is, or where its signature cannot be read.
        cached: Watched methods behind ``functools.cache``, which keeps their workspace alive.
        workspaces: Weak references to what creation returned, oldest first.
    """

    def __init__(self, upstream_folders: tuple[str, ...]) -> None:
        self.signatures: dict[str, dict[str, str]] = {}
        self.cached: list[str] = []
        self.workspaces: list[weakref.ref[Any]] = []
        self._upstream_folders = upstream_folders
        self._events: list[Event] = []
        self._counts: Counter[tuple[str, str]] = Counter()
        self._methods: list[tuple[type, str, Callable[..., Any]]] = []
        self._wrapped: set[type] = set()
        self._validators: dict[type, Callable[..., Any]] = {}

    def take(self) -> tuple[Event, ...]:
        """Return the events since the last call."""
        events, self._events = tuple(self._events), []
        self._counts.clear()
        return events

    def on_core_event(self, kind: str, symbol: str, data: dict[str, Json]) -> None:
        """Record an event of the stub core: ``kernel``, ``rendezvous``, ``alloc``, ``free``."""
        self._events.append(Event(kind, symbol, dict(data)))

    def wrap(self) -> None:
        """Wrap the watched symbols in every loaded ``flashinfer`` module that has them."""
        modules = _upstream_modules()
        wrappers: dict[int, Any] = {}
        for module in modules:
            for name in _FUNCTIONS:
                self._wrap_function(module, name, wrappers)
        classes = {
            value
            for module in modules
            for name, value in vars(module).items()
            if isinstance(value, type) and name.endswith(_WORKSPACE_SUFFIX)
        }
        for cls in sorted(classes, key=lambda cls: cls.__qualname__):
            self._wrap_class(cls)

    def unwrap_methods(self) -> None:
        """Give the workspaces their own methods back, for Dynamo, which cannot see through."""
        while self._methods:
            cls, name, original = self._methods.pop()
            setattr(cls, name, original)

    def workspace(self) -> Any:  # noqa: ANN401 - the upstream's own class
        """Return the newest workspace that is alive, or None."""
        alive = [workspace() for workspace in self.workspaces]
        return next((each for each in reversed(alive) if each is not None), None)

    def ask_validator(
        self, tp_size: int, tokens: int, hidden: int, dtype: torch.dtype
    ) -> bool | None:
        """Ask the newest workspace's own validator, unseen and around any cache; None if it cannot.

        This is the harness's yardstick, so the question carries no hint and leaves no event.
        """
        workspace = self.workspace()
        validator = self._find_validator(type(workspace))
        if validator is None:
            return None
        question = {"tp_size": tp_size, "num_tokens": tokens, "hidden_dim": hidden, "dtype": dtype}
        try:
            try:
                return bool(validator(workspace, **question))
            except TypeError:  # a shape whose names are its own, or that takes none
                return bool(validator(workspace, *question.values()))
        except Exception:  # noqa: BLE001 - whatever a hostile validator raises, it has no answer
            return None

    def _find_validator(self, cls: type) -> Callable[..., Any] | None:
        return next(
            (self._validators[base] for base in cls.__mro__ if base in self._validators), None
        )

    def _wrap_function(self, module: ModuleType, name: str, wrappers: dict[int, Any]) -> None:
        original = vars(module).get(name)
        if not callable(original) or id(original) in {id(w) for w in wrappers.values()}:
            return
        if id(original) not in wrappers:
            signature = _signature(original)
            if signature is None:
                return
            self.signatures[name] = _kinds(signature)
            wrappers[id(original)] = self._wrapper(original, signature, name)
        setattr(module, name, wrappers[id(original)])

    def _wrap_class(self, cls: type) -> None:
        if cls not in self._wrapped:
            self._wrapped.add(cls)
            for name in _METHODS:
                self._wrap_method(cls, name)

    def _wrap_method(self, cls: type, name: str) -> None:
        original = vars(cls).get(name)
        if not callable(original) or getattr(original, "__isabstractmethod__", False):
            return
        symbol = f"{cls.__name__}.{name}"
        cached = hasattr(original, "cache_clear")
        if cached:
            self.cached.append(symbol)
        if name == "is_buffer_size_sufficient":
            # Past functools.cache: asking through it would keep the workspace alive.
            self._validators[cls] = original.__wrapped__ if cached else original
        signature = _signature(original)
        if signature is None:
            return
        self.signatures[symbol] = _kinds(signature)
        setattr(cls, name, self._wrapper(original, signature, symbol))
        self._methods.append((cls, name, original))

    def _wrapper(
        self,
        original: Callable[..., Any],
        signature: inspect.Signature,
        symbol: str,
    ) -> Callable[..., Any]:
        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any callable's
            frame = inspect.currentframe()
            site = self._consumer_site(frame.f_back if frame else None)
            if site is None:
                return original(*args, **kwargs)
            enough = self._counts[symbol, "ok"] >= _ENOUGH
            sent = {} if enough else _bound(signature, args, kwargs)
            outcome, value = "ok", None
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                outcome, value = type(error).__name__, str(error)
                sent = sent or _bound(signature, args, kwargs)
                raise
            else:
                value = describe(result)
                if symbol == CREATE and result is not None:
                    self.workspaces.append(weakref.ref(result))
                    self._wrap_class(type(result))  # its module may have been loaded just now
                return result
            finally:
                self._record(Event("call", symbol, sent, tuple(kwargs), outcome, value, site))

        # follow_wrapped=False must see the parameters too, as it does without the wrapper.
        wrapper.__signature__ = signature  # type: ignore[attr-defined]
        for name in _CACHE_METHODS:
            if hasattr(original, name):
                setattr(wrapper, name, getattr(original, name))
        return wrapper

    def _record(self, event: Event) -> None:
        """Keep the event, unless there are enough of its like already."""
        like = (event.symbol, event.outcome)
        self._counts[like] += 1
        if self._counts[like] <= _ENOUGH:
            self._events.append(event)

    def _consumer_site(self, frame: FrameType | None) -> str | None:
        """Return the caller as ``file:line``, or None where the upstream calls itself."""
        if frame is None or frame.f_code.co_filename.startswith(self._upstream_folders):
            return None
        return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _upstream_modules() -> list[ModuleType]:
    """Return the loaded modules of ``flashinfer``, by name.

    They were loaded last: whoever looks at all of ``sys.modules`` writes to the reference count of
    each name, in a forked process a page to be copied each time.
    """
    names = []
    for name in reversed(sys.modules):
        if name.partition(".")[0] == _PACKAGE:
            names.append(name)
        if name == _PACKAGE:
            break
    # None where a real one is installed and kept out.
    return [sys.modules[name] for name in sorted(names) if sys.modules[name] is not None]


def _signature(target: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(target)
    except (ValueError, TypeError):
        return None


def _kinds(signature: inspect.Signature) -> dict[str, str]:
    return {name: parameter.kind.name for name, parameter in signature.parameters.items()}


def _bound(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Json]:
    """Arguments by parameter name; by keyword or ``*0`` where they do not bind."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        raw = {f"*{index}": describe(value) for index, value in enumerate(args)}
        return raw | {name: describe(value) for name, value in kwargs.items()}
    sent: dict[str, Json] = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            sent |= {key: describe(item) for key, item in value.items()}
        else:
            sent[name] = describe(value)
    return sent
