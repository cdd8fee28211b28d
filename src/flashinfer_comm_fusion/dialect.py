"""In which words a workspace's size check is asked.

Within one release TRT-LLM's check takes ``use_oneshot`` and MNNVL's takes an enum ``strategy``.
The words are found once, when the workspace has been made. A hint that cannot be said safely is
left out: said by position, True, False and None all silently mean two-shot to MNNVL.
"""

from __future__ import annotations

import re
import sys
import typing
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from flashinfer_comm_fusion.binding import SIZE_CHECK_BASE, Signature
from flashinfer_comm_fusion.capabilities import attribute

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Iterator
    from types import ModuleType

    import torch

_CHECK: Final = "is_buffer_size_sufficient"
_NEEDED: Final = ("num_tokens", "hidden_dim", "dtype")


@dataclass(frozen=True)
class Hint:
    """How a choice of one-shot or two-shot is said.

    Attributes:
        parameter: Name of the validator's parameter.
        oneshot: Its value for one-shot.
        twoshot: Its value for two-shot.
    """

    parameter: str
    oneshot: Any
    twoshot: Any


@dataclass(frozen=True)
class SizeCheck:
    """A workspace's own validator, asked in its own words.

    Attributes:
        ask: ``(tokens, hidden, dtype, use_oneshot) -> bool``; raises what the validator raises.
        takes_hint: Whether ``use_oneshot`` reaches the validator; otherwise it answers for its
            own choice.
        described: The validator and its hint, for people.
    """

    ask: Callable[[int, int, torch.dtype, bool | None], bool]
    takes_hint: bool
    described: str


def find_size_check(workspace: object, world_size: int) -> SizeCheck | None:
    """Find a workspace's validator and how to ask it.

    Args:
        workspace: The upstream's workspace.
        world_size: Ranks to ask for.

    Returns:
        The check; None where there is no validator, or none that can be told tokens, hidden
        size and dtype by the names that every release uses.
    """
    validator = attribute(workspace, _CHECK)
    signature = Signature.read(validator, SIZE_CHECK_BASE)
    if any(not signature.takes(name) for name in _NEEDED):
        return None
    hint = _find_hint(signature, workspace, validator)
    told = {*_NEEDED, "tp_size", *([hint.parameter] if hint else [])}
    if signature.unmet(told):
        return None
    owner = f"{type(workspace).__name__}.{_CHECK}"
    return SizeCheck(
        ask=_make_ask(validator, signature, world_size, hint),
        takes_hint=hint is not None,
        described=f"{owner}({hint.parameter}={hint.oneshot!r} for one-shot)" if hint else owner,
    )


def _make_ask(
    validator: Callable[..., Any], signature: Signature, world_size: int, hint: Hint | None
) -> Callable[[int, int, torch.dtype, bool | None], bool]:
    usual = frozenset({"tp_size", *_NEEDED})

    def ask(tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None) -> bool:
        if use_oneshot is None:
            return bool(
                validator(tp_size=world_size, num_tokens=tokens, hidden_dim=hidden, dtype=dtype)
            )
        return ask_at_length(tokens, hidden, dtype, use_oneshot)

    def ask_at_length(
        tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None
    ) -> bool:
        values: dict[str, Any] = {
            "tp_size": world_size,
            "num_tokens": tokens,
            "hidden_dim": hidden,
            "dtype": dtype,
        }
        if use_oneshot is not None and hint is not None:
            values[hint.parameter] = hint.oneshot if use_oneshot else hint.twoshot
        by_position, by_keyword = signature.arguments(values)
        return bool(validator(*by_position, **by_keyword))

    return ask_at_length if signature.positional or signature.rejected(usual) else ask


def _find_hint(signature: Signature, workspace: object, validator: object) -> Hint | None:
    if signature.parameter("use_oneshot") is not None:
        return Hint("use_oneshot", oneshot=True, twoshot=False)
    strategy = signature.parameter("strategy")
    if strategy is None:
        return None
    for choices in _choices(strategy, list(_modules(workspace, validator))):
        spelled = {name.lower().replace("_", "").replace("-", ""): value for name, value in choices}
        if "oneshot" in spelled and "twoshot" in spelled:
            return Hint("strategy", oneshot=spelled["oneshot"], twoshot=spelled["twoshot"])
    return None


def _choices(
    strategy: inspect.Parameter, modules: list[ModuleType]
) -> Iterator[list[tuple[str, Any]]]:
    """The sets of values that ``strategy`` may stand for, the surest first."""
    default = strategy.default
    if isinstance(default, Enum):
        yield list(type(default).__members__.items())
    if isinstance(strategy.annotation, str):
        yield from _choices_in_text(strategy.annotation, modules)
    else:
        yield from _choices_in_type(strategy.annotation)
    if not isinstance(default, str):
        # Where the default is plain text, an enum from elsewhere is not what is asked for.
        for module in modules:
            for found in list(vars(module).values()):
                yield from _choices_in_type(found)


def _choices_in_type(annotation: object) -> Iterator[list[tuple[str, Any]]]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield list(annotation.__members__.items())
        return
    arguments = typing.get_args(annotation)
    yield [(item, item) for item in arguments if isinstance(item, str)]
    for argument in arguments:
        yield from _choices_in_type(argument)


def _choices_in_text(annotation: str, modules: list[ModuleType]) -> Iterator[list[tuple[str, Any]]]:
    """As for a type, from an annotation that was never evaluated."""
    if "Literal" in annotation:
        yield [(text, text) for text in re.findall(r"""["']([^"']+)["']""", annotation)]
    for name in re.findall(r"[A-Za-z_]\w*", annotation):
        for module in modules:
            yield from _choices_in_type(vars(module).get(name))


def _modules(workspace: object, validator: object) -> Iterator[ModuleType]:
    """Modules that define the validator, or a class that the workspace comes from."""
    names = [
        attribute(validator, "__module__"),
        *(cls.__module__ for cls in type(workspace).__mro__),
    ]
    for name in dict.fromkeys(names):
        module = sys.modules.get(name) if isinstance(name, str) else None
        if module is not None and name != "builtins":
            yield module
