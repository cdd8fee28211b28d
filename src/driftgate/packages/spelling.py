"""An environment as it is spelled: on the command line, in a row, or by what is installed here."""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from driftgate.packages.errors import BadEnvironmentError
from driftgate.packages.model import Environment, Installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_PYTHON = re.compile(r"(\d+\.\d+)(\.\d+)*")
_FORM = "write name==version, or the name alone where the installer is left to choose"


def spelled(
    installed: Iterable[str],
    python: str = "",
    variables: Mapping[str, str] | None = None,
    *,
    complete: bool = False,
) -> Environment:
    """Return the environment that ``name==version`` texts spell.

    Args:
        installed: The distributions.
        python: The interpreter, as ``3.11`` or ``3.11.4``.
        variables: Environment variables that are set there.
        complete: Whether nothing else is installed.

    Raises:
        BadEnvironmentError: One is no such text, or a distribution is given twice.
    """
    found: dict[str, Installed] = {}
    for text in installed:
        one = _installed(text)
        if found.setdefault(one.name, one).version != one.version:
            problem = f"{one.name} is given as {found[one.name].version or 'any version'} too"
            raise BadEnvironmentError(text, problem, "an environment holds one version of it")
    return Environment(found, _minor(python), dict(variables or {}), complete)


def installed_in(
    site: Path | None, python: str, variables: Mapping[str, str], *, environ: Mapping[str, str]
) -> Environment:
    """Return what is installed below a site-packages folder, or where driftgate itself runs.

    Args:
        site: The folder; None for here.
        python: Its interpreter; empty for the one that runs this, or that the folder's place names.
        variables: Environment variables that are set there.
        environ: This process's, which hold here.

    Raises:
        BadEnvironmentError: There is no such folder, or nothing is installed in it.
    """
    if site is not None and not site.is_dir():
        raise BadEnvironmentError(str(site), "no folder", "give a site-packages folder")
    there = distributions() if site is None else distributions(path=[str(site)])
    found: dict[str, Installed] = {}
    for each in there:
        name = each.metadata["Name"]
        if name and each.version:
            # Of two, the one that Python finds first is imported.
            canonical = canonicalize_name(name)
            found.setdefault(canonical, Installed(canonical, each.version))
    if not found:
        raise BadEnvironmentError(str(site), "nothing is installed there", "give a site-packages")
    here = "{}.{}".format(*sys.version_info) if site is None else _python_of(site)
    set_here = dict(environ) if site is None else {}
    return Environment(found, _minor(python) or here, {**set_here, **variables}, complete=True)


def _installed(text: str) -> Installed:
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        raise BadEnvironmentError(text, "no distribution", _FORM) from error
    specifiers = list(requirement.specifier)
    if requirement.marker or requirement.url or len(specifiers) > 1:
        raise BadEnvironmentError(text, "says more than one version", _FORM)
    if specifiers and (
        specifiers[0].operator not in ("==", "===") or specifiers[0].version.endswith(".*")
    ):
        raise BadEnvironmentError(text, "says no single version", _FORM)
    version = specifiers[0].version if specifiers else ""
    return Installed(canonicalize_name(requirement.name), version)


def _python_of(site: Path) -> str:
    """Return the interpreter that a site-packages folder belongs to, by its place; or empty."""
    match = re.fullmatch(r"python(3\.\d+)", site.resolve().parent.name)
    return match[1] if match else ""


def _minor(python: str) -> str:
    if not python:
        return ""
    match = _PYTHON.fullmatch(python)
    if match is None:
        raise BadEnvironmentError(python, "no version of Python", "write one as 3.11")
    return match[1]
