from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from driftgate.cli import COMMANDS, main


def test_help_lists_every_subcommand_and_imports_none() -> None:
    """``--help`` answers without torch, the index client or any subcommand's module."""
    code = (
        "import sys\n"
        "from driftgate.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'torch', 'rich', 'requests', 'pypi_simple'} & set(sys.modules)\n"
        "ours = [name for name in sys.modules if name.startswith('driftgate.commands.')]\n"
        "print('imported:', sorted(heavy), ours)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "imported: [] []"
    for name, text in COMMANDS.items():
        assert name in done.stdout
        assert text.split()[0] in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_in_the_table_exists(name: str) -> None:
    """Each line of the table leads to a command of that name."""
    result = CliRunner().invoke(main, [name, "--help"])

    assert result.exit_code == 0, result.output
    assert f"main {name}" in result.output


def test_an_unknown_subcommand_is_bad_usage() -> None:
    """Exit 2, as for any wrong command line."""
    result = CliRunner().invoke(main, ["no-such-command"])

    assert result.exit_code == 2
    assert "No such command" in result.stderr
