# /// script
# dependencies = ["nox>=2025.5.1"]
# ///
"""What a maintainer and CI run: ``nox -l`` lists it, ``nox -s compat`` is the merge gate."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
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
        name: Its folder, with the interpreter's version.
        groups: Dependency groups of ``pyproject.toml`` that it holds.
        project: Whether it holds the project, with the requirements of its extra ``harness``.
        torch: Whether it holds torch.
        flashinfer: Whether it holds the pinned FlashInfer, with its kernels where they come built.
    """

    name: str
    groups: tuple[str, ...]
    project: bool = False
    torch: bool = False
    flashinfer: bool = False


# One environment for all sessions with torch: it is most of a gigabyte, and is read-only in use.
CPU = Environment("cpu", ("test", "types"), project=True, torch=True)
# Reading, recording, comparing and binding need no torch, and must work on every interpreter.
STATIC = Environment("static", ("test",), project=True)
WITHOUT_TORCH = tuple(
    f"tests/{name}"
    for name in (
        "calls",
        "index",
        "insides",
        "packages",
        "project",
        "released",
        "stubtree",
        "surface",
    )
)
# What an engine runs with; made only where there is a device, since it is several gigabytes.
GPU = Environment("gpu", ("test",), project=True, torch=True, flashinfer=True)
# Apart from CPU, so that a formatting check does not wait for torch.
LINT = Environment("lint", ("lint",))


@nox.session
def compat(session: nox.Session) -> None:
    """Try a consumer against every stub upstream; posargs go to ``driftgate compat``."""
    _run(session, CPU, "-m", "driftgate", "compat", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the unit and contract tests."""
    parallel = ("-n", "auto", "--dist", "worksteal")
    _run(session, CPU, "-m", "pytest", "-m", "not property", *parallel, *session.posargs)


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
def backtest(session: nox.Session) -> None:
    """Ask where public incidents would have been caught; posargs go to ``driftgate backtest``."""
    _run(session, CPU, "-m", "driftgate", "backtest", *session.posargs)


@nox.session(default=False)
def bump(session: nox.Session) -> None:
    """Say what breaks where the pin moves: `nox -s bump -- RELEASE`."""
    _run(session, CPU, "-m", "driftgate", "bump", *session.posargs)


@nox.session(default=False)
def ranks(session: nox.Session) -> None:
    """Try a consumer over several real ranks; posargs go to ``driftgate ranks``."""
    _run(session, CPU, "-m", "driftgate", "ranks", *session.posargs)


@nox.session(default=False)
def hopper(session: nox.Session) -> None:
    """Check real kernels on Hopper GPUs, or say what that needs; see docs/gpu.md."""
    _check_gpus(session, "hopper")


@nox.session(default=False)
def blackwell(session: nox.Session) -> None:
    """Check real kernels on Blackwell GPUs, or say what that needs; see docs/gpu.md."""
    _check_gpus(session, "blackwell")


@nox.session(default=False)
@nox.parametrize("version", nox.project.python_versions(PYPROJECT))
def interpreters(session: nox.Session, version: str) -> None:
    """Run what needs no torch on each interpreter that is present."""
    interpreter = _find_python(version)
    if interpreter is None:
        session.skip(f"not-run: no Python {version} on this machine")
    arguments = ("-m", "pytest", "-m", "not property", *WITHOUT_TORCH)
    _run(session, STATIC, *arguments, interpreter=interpreter)


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


def _check_gpus(session: nox.Session, machine: str) -> None:
    environment = GPU if shutil.which("nvidia-smi") else CPU
    _run(session, environment, "-m", "driftgate", "gpu", machine, *session.posargs)


def _run(
    session: nox.Session,
    environment: Environment,
    *arguments: str,
    interpreter: str = sys.executable,
) -> None:
    """Run Python in ``environment`` with ``arguments``, after making it where need be."""
    session.chdir(ROOT)
    python = _provide(session, environment, interpreter)
    session.run(str(python), *arguments, external=True, env=_variables())


def _provide(session: nox.Session, environment: Environment, interpreter: str) -> Path:
    """Make ``environment`` if it is missing or made from other inputs; return its Python.

    Installed with pip alone: uv does not read the indexes and find-links that pip is
    configured with, and a CPU build of torch is often to be had only through those.
    """
    version = _version(interpreter)
    folder = ROOT / ".nox" / f"{environment.name}-{version.rpartition('.')[0]}"
    python = folder / "bin" / "python"
    stamp = folder / "made-from"
    inputs = _fingerprint(environment, version)
    if python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == inputs:
        return python
    make = (sys.executable, "-m", "virtualenv", "--quiet", "--clear")
    session.run(*make, "--python", interpreter, str(folder), external=True, env=_variables())
    install = (str(python), "-m", "pip", "install", "--quiet")
    requirements = list(nox.project.dependency_groups(PYPROJECT, *environment.groups))
    if environment.torch:
        session.run(*install, TORCH, external=True, env=_variables())
    if environment.project:
        requirements += PYPROJECT["project"]["optional-dependencies"]["harness"]
        # Without its dependencies: torch is chosen here, or left out.
        session.run(*install, "--no-deps", "--editable", ".", external=True, env=_variables())
    session.run(*install, *requirements, external=True, env=_variables())
    if environment.flashinfer:
        pin = PYPROJECT["tool"]["driftgate"]["flashinfer"]
        session.run(*install, f"flashinfer-python=={pin}", external=True, env=_variables())
        # Not every release has built kernels; without them they are compiled on first use.
        built = (*install, f"flashinfer-cubin=={pin}")
        session.run(*built, external=True, env=_variables(), success_codes=(0, 1))
    stamp.write_text(inputs, encoding="utf-8")
    return python


def _find_python(version: str) -> str | None:
    """Find an interpreter of this minor version: on the path, or where pyenv keeps them."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = (str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python")))
    # A shim of pyenv's can be on the path without a version behind it: only one that runs counts.
    return next((path for path in (f"python{version}", *kept) if _version(path)), None)


def _version(interpreter: str) -> str:
    """Return an interpreter's full version, or nothing where it does not run."""
    ask = (interpreter, "-c", "import platform; print(platform.python_version())")
    try:
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _fingerprint(environment: Environment, version: str) -> str:
    """Hash all that decides what the environment holds."""
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return hashlib.sha256(f"{environment}{TORCH}{version}{pyproject}".encode()).hexdigest()


def _variables() -> dict[str, str | None]:
    """Return what a session changes in its environment; None unsets."""
    return {
        # Bytecode makes each start of pytest about three times faster.
        "PYTHONDONTWRITEBYTECODE": None,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


if __name__ == "__main__":
    nox.main()
