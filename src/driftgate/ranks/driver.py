"""Drive a consumer as one of several ranks: either of its two groups, and a limit to waiting."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from driftgate.drive.drivers.choice import choose_driver
from driftgate.drive.drivers.injected import InjectedDriver
from driftgate.drive.drivers.sglang import SglangDriver

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.drive.drivers.base import Driver
    from driftgate.drive.job import Job
    from driftgate.ranks.cases import Topology
    from driftgate.ranks.engine import RankEngine

# Longer than a rank is slow on purpose, shorter than what an engine may wait for an agreement.
PATIENCE = 4.0
_SITE = "use_attn_tp_group"


class TwoGroupDriver(InjectedDriver):
    """A module with our public names, asked for its attention group or for its MoE group.

    Attributes:
        attention: Which of the two the next operation is about.
    """

    attention: bool = True

    def load(self) -> None:
        """Import the module; see :class:`~driftgate.drive.drivers.injected.InjectedDriver`."""
        super().load()
        self._module = _Sited(self._module, self)

    def configure_rank(self, engine: RankEngine, topology: Topology) -> None:
        """Inject this rank's engine, with both groups."""
        self._module.reset()
        self._group = engine.group
        machine = self._module.Topology(
            sm=topology.sm,
            nodes=topology.nodes,
            gpus_per_node=-(-topology.world_size // topology.nodes),
            multicast=True,
        )
        configure = self._module.configure
        values: dict[str, Any] = {
            "attn_tp_group": engine.group,
            "moe_tp_group": engine.moe_group if topology.moe_groups else None,
            "backend": topology.backend,
            "topology": None if topology.reads_machine else machine,
            "is_capturing": engine.is_capturing,
            "patience": PATIENCE,
        }
        taken = inspect.signature(configure).parameters
        configure(**{name: value for name, value in values.items() if name in taken})


class _Sited:
    """The module, whose functions are told which group is meant.

    They are made at once: a compiled layer finds them without a look at any signature.
    """

    def __init__(self, module: Any, driver: TwoGroupDriver) -> None:  # noqa: ANN401 - any consumer
        self._module = module
        self._driver = driver
        for name, found in vars(module).items():
            if _takes_site(found):
                setattr(self, name, self._told(found))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._module, name)

    def _told(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            return function(*args, **{**kwargs, _SITE: self._driver.attention})

        return told


def _takes_site(found: Any) -> bool:  # noqa: ANN401 - whatever a module holds
    plain = inspect.isfunction(found) or inspect.ismethod(found)  # others may tell no signature
    return plain and _SITE in inspect.signature(found).parameters


def choose_rank_driver(job: Job) -> Driver:
    """Return the driver of a job's consumer as one of several ranks."""
    return TwoGroupDriver(job.source) if job.adapter is None else choose_driver(job)


def tell(driver: Driver, engine: RankEngine, topology: Topology) -> None:
    """Tell a consumer about its engine."""
    if isinstance(driver, TwoGroupDriver):
        driver.configure_rank(engine, topology)
        return
    one_process: Any = engine  # it is asked for what both engines have
    driver.configure(
        one_process,
        one_process.group,
        backend=topology.backend,
        sm=topology.sm,
        nodes=topology.nodes,
        multicast=True,
    )


def knows_two_groups(driver: Driver) -> bool:
    """Whether the consumer has a workspace for its MoE layers too."""
    return isinstance(driver, TwoGroupDriver | SglangDriver)


def turn_to(driver: Driver, *, attention: bool) -> None:
    """Have the next operations be about one of the two groups."""
    if isinstance(driver, TwoGroupDriver | SglangDriver):
        driver.attention = attention
