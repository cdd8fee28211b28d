"""How to call an upstream function: only with what it takes, by keyword wherever that is possible.

Parameters are inserted upstream in the middle of lists, so nothing goes by position unless the
parameter can only go by position.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# What every release with the unified API takes: the lists of the first such release. Nothing was
# ever removed from them, so where a signature cannot be read these names, and no others, are sent.
CREATE_BASE: Final = frozenset(
    {
        "backend",
        "world_size",
        "rank",
        "max_token_num",
        "hidden_dim",
        "dtype",
        "gpus_per_node",
        "comm_backend",
        "force_oneshot_support",
    }
)
ALL_REDUCE_BASE: Final = frozenset(
    {
        "input",
        "workspace",
        "pattern",
        "launch_with_pdl",
        "output",
        "residual_out",
        "norm_out",
        "quant_out",
        "scale_out",
        "residual_in",
        "rms_gamma",
        "rms_eps",
        "scale_factor",
        "layout_code",
        "use_oneshot",
        "fp32_acc",
    }
)
SIZE_CHECK_BASE: Final = frozenset({"tp_size", "num_tokens", "hidden_dim", "dtype"})


class SignatureState(str, Enum):
    """How much a callable says about its parameters."""

    READABLE = "readable"
    VAR_KEYWORDS = "var-keywords"
    UNREADABLE = "unreadable"
    MISSING = "missing"


@dataclass(frozen=True)
class Signature:
    """The parameters of one upstream callable, as far as they can be read.

    Attributes:
        state: How far that is.
        base: Names that are taken whatever the signature says of them.
        parameters: The named parameters, in order.
    """

    state: SignatureState
    base: frozenset[str]
    parameters: tuple[inspect.Parameter, ...] = ()

    @classmethod
    def read(cls, function: object, base: frozenset[str]) -> Signature:
        """Read ``function``'s signature; never raises.

        Args:
            function: Any object, or None where the upstream has none.
            base: Names to send where the signature does not tell.
        """
        if not callable(function):
            return cls(SignatureState.MISSING, base)
        try:
            parameters = tuple(inspect.signature(function).parameters.values())
        except Exception:  # noqa: BLE001 - ValueError (C callables), TypeError, or what a broken __signature__ raises
            return cls(SignatureState.UNREADABLE, base)
        kinds = {parameter.kind for parameter in parameters}
        named = tuple(
            parameter
            for parameter in parameters
            if parameter.kind
            not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        )
        if inspect.Parameter.VAR_KEYWORD in kinds:
            return cls(SignatureState.VAR_KEYWORDS, base, named)
        if not named:
            # Nothing but *args says no more than no signature at all.
            return cls(SignatureState.UNREADABLE, base)
        return cls(SignatureState.READABLE, base, named)

    def parameter(self, name: str) -> inspect.Parameter | None:
        """The named parameter called ``name``, or None."""
        return next((item for item in self.parameters if item.name == name), None)

    def takes(self, name: str) -> bool:
        """Whether ``name`` may be sent."""
        if self.parameter(name) is not None:
            return True
        return (
            self.state in (SignatureState.VAR_KEYWORDS, SignatureState.UNREADABLE)
            and name in self.base
        )

    def rejected(self, names: Iterable[str]) -> tuple[str, ...]:
        """The members of ``names`` that may not be sent, in their order."""
        return tuple(name for name in names if not self.takes(name))

    def unmet(self, names: Iterable[str]) -> tuple[str, ...]:
        """Parameters without a default that are not among ``names``."""
        given = frozenset(names)
        return tuple(
            item.name
            for item in self.parameters
            if item.default is inspect.Parameter.empty and item.name not in given
        )

    @property
    def positional(self) -> tuple[inspect.Parameter, ...]:
        """Parameters that can only go by position."""
        return tuple(
            item for item in self.parameters if item.kind is inspect.Parameter.POSITIONAL_ONLY
        )

    def arguments(self, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Split ``values`` into what goes by position and what by keyword.

        What is not taken is left out; see :meth:`rejected` for its names. A gap before a
        positional-only parameter is filled with the upstream's own default.
        """
        positional = self.positional
        by_position = [values.get(item.name, item.default) for item in positional]
        names = {item.name for item in positional}
        by_keyword = {
            name: value for name, value in values.items() if name not in names and self.takes(name)
        }
        return by_position, by_keyword
