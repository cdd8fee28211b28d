"""Each guard of the fusion module is held by a contract: take it out, and that one turns red."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import flashinfer_comm_fusion

PACKAGE = Path(flashinfer_comm_fusion.__file__).parent
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Guard:
    """One guard and what must be seen without it.

    Attributes:
        name: What the guard does.
        file: Where it stands.
        text: The guard's own text.
        without: What stands there once it is deleted.
        upstream: A shape that needs it.
        contract: The contract that must then fail.
    """

    name: str
    file: str
    text: str
    without: str
    upstream: str
    contract: str


GUARDS = [
    Guard(
        "survive signatures that cannot be read",
        "binding.py",
        "        except Exception:",
        "        except LookupError:",
        "no_signature",
        "active_where_allowed",
    ),
    Guard(
        "send the group wherever it is taken",
        "creation.py",
        '        values["group"] = request.device_group',
        "        pass",
        "v0_7_4",
        "group_sent",
    ),
    Guard(
        "refuse a subgroup that would meet over WORLD",
        "rendezvous.py",
        "    if capabilities.group:\n        return None",
        "    if capabilities:\n        return None",
        "v0_6_10",
        "wrong_rendezvous_is_refused",
    ),
    Guard(
        "send only what is taken",
        "binding.py",
        "if name not in names and self.takes(name)",
        "if name not in names",
        "v0_6_0",
        "keyword_not_taken",
    ),
    Guard(
        "translate the hint into the workspace's own words",
        "dialect.py",
        '    if signature.parameter("use_oneshot") is not None:',
        "    if signature:",
        "v0_7_4",
        "hint_is_forwarded",
    ),
    Guard(
        "refuse before asking what cannot fit",
        "gate.py",
        "            self.refuse_first",
        "            not self.refuse_first",
        "v0_7_4",
        "refuses_without_asking",
    ),
    Guard(
        "latch a failed creation",
        "workspace.py",
        "        self._is_final = refusal.reason not in PASSING",
        "        self._refused = None",
        "v0_7_4",
        "no_retry_after_failure",
    ),
    Guard(
        "refuse a workspace that is None",
        "creation.py",
        "    if workspace is None:",
        "    if workspace is NotImplemented:",
        "create_returns_none",
        "active_where_allowed",
    ),
    Guard(
        "refuse a null multicast pointer",
        "inspection.py",
        'if attribute(workspace, "mc_ptr", default=1) in (None, 0):',
        'if attribute(workspace, "mc_ptr", default=1) is NotImplemented:',
        "v0_6_13",
        "null_multicast_refused",
    ),
    Guard(
        "create nothing while a graph is captured",
        "workspace.py",
        "        if self._settings.is_capturing():",
        "        if not self._settings.is_capturing:",
        "v0_7_4",
        "no_creation_under_capture",
    ),
    Guard(
        "survive a destroy that raises",
        "inspection.py",
        "    except Exception as error:  # noqa: BLE001 - the upstream may raise anything\n"
        '        return f"destroy()',
        '    except LookupError as error:\n        return f"destroy()',
        "v0_7_4",
        "destroy_failure_survived",
    ),
]


def failing(guard: Guard, package_root: Path, scratch: Path) -> set[str]:
    """Contracts that fail, or whose cell dies, for the module below ``package_root``."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "driftgate", "compat", "--fresh", "--json"),
            *("--upstream", f"stub:{guard.upstream}", "--contract", guard.contract),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(package_root), "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {row["contract"] for row in rows if row["state"] in ("fail", "error")}


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_contract_turns_red_without_the_guard(guard: Guard, tmp_path: Path) -> None:
    """A guard that nothing holds would be lost in the next clean-up."""
    shutil.copytree(PACKAGE, tmp_path / "root" / PACKAGE.name)
    file = tmp_path / "root" / PACKAGE.name / guard.file
    text = file.read_text(encoding="utf-8")
    assert guard.text in text, f"{guard.file} no longer spells this guard so"
    file.write_text(text.replace(guard.text, guard.without), encoding="utf-8")

    assert guard.contract in failing(guard, tmp_path / "root", tmp_path)
