# /// script
# dependencies = ["nox>=2025.5.1"]
# ///
"""What a maintainer and CI run: ``nox -l`` lists it, ``nox -s compat`` is the merge gate."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["compat", "tests", "lint", "types"]

ROOT = Path(__file__).parent
PYPROJECT = nox.project.load_toml(ROOT / "pyproject.toml")

# An open range lets pip pick a CUDA build of several gigabytes; sessions need a CPU only.
TORCH = os.environ.get("DRIFTGATE_TORCH", "torch==2.13.0")


@dataclass(frozen=True)
class Environment:
    """One virtual environment below ``.nox``, shared by every session that names it.

    Attributes:
        name: Its folder.
        groups: Dependency groups of ``pyproject.toml`` that it holds.
        project: How the project itself is installed there, or empty for not at all.
        torch: Whether torch goes in first, pinned, so that no resolver picks another.
    """

    name: str
    groups: tuple[str, ...]
    project: str = ""
    torch: bool = False


# One environment for all sessions with torch: it is most of a gigabyte, and is read-only in use.
CPU = Environment("cpu", ("test", "types"), project=".[harness]", torch=True)
# Apart from CPU, so that a formatting check does not wait for torch.
LINT = Environment("lint", ("lint",))


@nox.session
def compat(session: nox.Session) -> None:
    """Try a consumer against every stub upstream; posargs go to ``driftgate compat``."""
    _run(session, CPU, "-m", "driftgate", "compat", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit and contract tests."""
    _run(session, CPU, "-m", "pytest", "-m", "not property", *session.posargs)


@nox.session
def property(session: nox.Session) -> None:  # noqa: A001 - the session's name is its interface
    """Run the hypothesis suite; set HYPOTHESIS_PROFILE=deep for the long one."""
    _run(session, CPU, "-m", "pytest", "-m", "property", "tests/property", *session.posargs)


@nox.session
def fidelity(session: nox.Session) -> None:
    """Compare each historic stub with every release it stands for, shape and behaviour.

    Behaviour is compared with the first and the last release of each stub, which are fetched;
    ``-- --all`` takes every release.
    """
    options = session.posargs or ("--behaviour", "--fetch")
    _run(session, CPU, "-m", "driftgate", "fidelity", *options)


@nox.session(default=False)
def wheels(session: nox.Session) -> None:
    """Try a consumer against real releases; posargs go to ``driftgate compat``."""
    _run(session, CPU, "-m", "driftgate", "wheels", "fetch", "--all", "--lean")
    _run(session, CPU, "-m", "driftgate", "compat", "--upstream", "wheels", *session.posargs)


@nox.session(default=False)
def bump(session: nox.Session) -> None:
    """Say what breaks where the pin moves: `nox -s bump -- RELEASE`."""
    _run(session, CPU, "-m", "driftgate", "bump", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    _run(session, LINT, "-m", "ruff", "check", ".")
    _run(session, LINT, "-m", "ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    _run(session, CPU, "-m", "mypy")


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure the figures that the README quotes, side by side in one run."""
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        _run(session, CPU, str(script), *session.posargs)


# --------------------------------------------------------------------------------------------


def _run(session: nox.Session, environment: Environment, *arguments: str) -> None:
    """Run Python in ``environment`` with ``arguments``, after making it where need be."""
    session.chdir(ROOT)
    python = _provide(session, environment)
    session.run(str(python), *arguments, external=True, env=_variables())


def _provide(session: nox.Session, environment: Environment) -> Path:
    """Make ``environment`` if it is missing or made from other inputs; return its Python.

    Installed with pip alone: uv does not read the indexes and find-links that pip is
    configured with, and a CPU build of torch is often to be had only through those.
    """
    folder = ROOT / ".nox" / f"{environment.name}-{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / "bin" / "python"
    stamp = folder / "made-from"
    inputs = _fingerprint(environment)
    if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == inputs:
        return python
    make = (sys.executable, "-m", "virtualenv", "--quiet", "--clear", str(folder))
    session.run(*make, external=True, env=_variables())
    install = (str(python), "-m", "pip", "install", "--quiet")
    groups = nox.project.dependency_groups(PYPROJECT, *environment.groups)
    if environment.torch:
        session.run(*install, TORCH, external=True, env=_variables())
    if environment.project:
        groups = ("--editable", environment.project, *groups)
    session.run(*install, *groups, external=True, env=_variables())
    stamp.write_text(inputs, encoding="utf-8")
    return python


def _fingerprint(environment: Environment) -> str:
    """Hash all that decides what the environment holds."""
    inputs = f"{environment}{TORCH}{sys.version}{(ROOT / 'pyproject.toml').read_text()}"
    return hashlib.sha256(inputs.encode()).hexdigest()


def _variables() -> dict[str, str | None]:
    """Return what a session changes in its environment; None unsets."""
    return {
        # Bytecode makes each start of pytest about three times faster.
        "PYTHONDONTWRITEBYTECODE": None,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


if __name__ == "__main__":
    nox.main()
