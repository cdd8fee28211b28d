"""A release's own comparison of versions, asked about an environment that is pretended.

The release's modules are run in a process of their own, in a folder that holds them, the metadata
of what is pretended, and nothing else: no device, no third-party module, no site-packages.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.packages.rows import PackagesTarget

_CHILD = Path(__file__).with_name("own_check_child.py")
_PATIENCE_SECONDS = 60.0
# What a build writes down: the version, and by some name the commit, which nobody compares.
_BUILD = """__version__ = {version!r}


def __getattr__(name):
    if name.startswith("__git"):
        return "unknown"
    raise AttributeError(name)
"""


@dataclass(frozen=True)
class Findings:
    """What a release said.

    Attributes:
        raised: The exception that an import ended in, as text; empty where it did not.
        warned: What was logged as a warning or worse.
        reported: What its report says of a distribution, where that is not its version alone.
    """

    raised: str
    warned: tuple[str, ...]
    reported: dict[str, tuple[str, ...]]

    @property
    def noticed(self) -> bool:
        """Whether whoever imports the package is told that something does not match."""
        return bool(self.raised or self.warned)


def run_own_check(
    files: Mapping[str, str],
    target: PackagesTarget,
    installed: Mapping[str, str],
    variables: Mapping[str, str],
    *,
    known: bool,
) -> Findings:
    """Ask the release that ``files`` belong to what it says of an environment.

    Args:
        files: Its files, by slash-separated path.
        target: Which of them compare versions.
        installed: The distributions and their versions, its own included.
        variables: Environment variables that are set there.
        known: Whether the release can tell its own version.

    Raises:
        CannotTellError: It cannot be asked here, whatever is installed.
    """
    own = target.own_check
    modules = [name for name in own.modules if f"{name.replace('.', '/')}.py" in files]
    reporter = own.report.partition(":")[0]
    report = own.report if f"{reporter.replace('.', '/')}.py" in files else ""
    if not (modules or report):
        raise CannotTellError("this release compares no versions itself")
    main = target.main
    alone = _ask(files, target, {main: installed[main]}, variables, modules, report, known=known)
    if alone.raised:
        raise CannotTellError(f"its comparison does not run here ({alone.raised})")
    seen = _ask(files, target, installed, variables, modules, report, known=known)
    warned = tuple(line for line in seen.warned if line not in alone.warned)
    reported = {
        name: doubts
        for name, version in installed.items()
        if (doubts := tuple(said for said in seen.reported.get(name, ()) if said != version))
    }
    return Findings(seen.raised, warned, reported)


def _ask(  # noqa: PLR0913, PLR0917 - each is a thing apart
    files: Mapping[str, str],
    target: PackagesTarget,
    installed: Mapping[str, str],
    variables: Mapping[str, str],
    modules: list[str],
    report: str,
    *,
    known: bool,
) -> Findings:
    build = target.own_check.build
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        root = Path(folder)
        for path, text in files.items():
            _write(root / path, text)
        for package in {target.package, *(name.rpartition(".")[0] for name in modules)}:
            _write(root / package.replace(".", "/") / "__init__.py", "")
        if known:
            said = _BUILD.format(version=installed[target.main])
            _write(root / f"{build.replace('.', '/')}.py", said)
        for name, version in installed.items():
            if name == target.main and not known:
                continue  # a checkout that is not installed has no metadata
            told = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            _write(root / f"{name.replace('-', '_')}-{version}.dist-info" / "METADATA", told)
        order = {
            "root": folder,
            "modules": modules,
            "report": report,
            "absent": target.own_check.absent,
            "companions": {
                name.replace("-", "_"): version
                for name, version in installed.items()
                if name != target.main
            },
        }
        return _run(order, folder, variables)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run(order: Mapping[str, object], home: str, variables: Mapping[str, str]) -> Findings:
    try:
        done = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, "-I", "-S", str(_CHILD)],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
            cwd=home,
            env={**variables, "HOME": home, "PATH": ""},
        )
        answer = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        raise CannotTellError(f"its comparison ends in no answer ({error!r:.80})") from error
    reported = {name: tuple(said) for name, said in answer["reported"].items()}
    return Findings(answer["raised"], tuple(answer["warned"]), reported)
