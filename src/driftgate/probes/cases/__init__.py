"""The probes: creation, all-reduce, size checks, destroying; with good, bad and odd arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.probes.cases.creations import creations
from driftgate.probes.cases.others import communicators, legacy, lives, validations
from driftgate.probes.cases.reductions import reductions
from driftgate.probes.cases.size_checks import size_checks

if TYPE_CHECKING:
    from driftgate.probes.model import Probe


def all_probes() -> tuple[Probe, ...]:
    """Every probe, those of one scene one after the other."""
    probes = [
        *creations(),
        *reductions(),
        *size_checks(),
        *lives(),
        *validations(),
        *communicators(),
        *legacy(),
    ]
    scenes = list(dict.fromkeys(probe.scene for probe in probes))
    return tuple(sorted(probes, key=lambda probe: scenes.index(probe.scene)))
