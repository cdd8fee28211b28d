"""What the contract suite costs, against one pytest process a stub, in one run.

Prints the seconds of a whole fresh run, of one more stub, and of one stub's contracts in a pytest
process of its own, with the ratio of all stubs that way to the whole run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from driftgate.paths import find_project
from driftgate.upstreams import upstream_names

ROOT = find_project(Path(__file__).parent).root
_SAMPLE = ("stub:v0_6_0", "stub:v0_6_12", "stub:v0_7_4")


def main() -> None:
    """Measure and print."""
    stubs = [name for name in upstream_names(find_project(ROOT)) if name.startswith("stub:")]
    workers = os.cpu_count() or 1
    one = _compat("--upstream", _SAMPLE[0], "-n", "1")
    several = _compat(*(part for name in _SAMPLE for part in ("--upstream", name)), "-n", "1")
    everything = _compat()
    alone = sum(_pytest_process(name) for name in _SAMPLE) / len(_SAMPLE)

    more = (several - one) / (len(_SAMPLE) - 1) / workers
    print(f"all {len(stubs)} stubs on {workers} cores: {everything:.1f} s")
    print(f"one more stub: {more:.2f} s on {workers} cores")
    apart = alone * len(stubs)
    print(f"one pytest process a stub: {alone:.1f} s each, {apart:.0f} s one after the other")
    print(
        f"ratio: {apart / everything:.1f} ({apart / workers / everything:.1f} if {workers} at once)"
    )


def _compat(*arguments: str) -> float:
    return _seconds("-m", "driftgate", "compat", "--fresh", *arguments)


def _pytest_process(upstream: str) -> float:
    """Run one stub's items in a pytest process of its own, which loads torch for them alone."""
    return _seconds("-m", "pytest", "-q", "tests/compat", "--upstream", upstream, "--fresh")


def _seconds(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
