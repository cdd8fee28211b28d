"""The ``driftgate`` command: a table of subcommands, each imported when it is called."""

from __future__ import annotations

import importlib
import signal
import threading
from typing import Any

import click

from driftgate.errors import DriftgateError, RunInterruptedError

# A subcommand is one line here and one file in driftgate/commands/, which defines a click command
# of the same name. The help is repeated here so that ``--help`` imports none of them.
COMMANDS = {
    "backtest": "Ask which public incidents the contracts catch, and what they flag in vain.",
    "bisect": "Name the first release that breaks a contract.",
    "bump": "Say what breaks where the pin moves to another release.",
    "calls": "Bind the calls a consumer makes against every recorded release.",
    "compat": "Try a consumer against every stub upstream.",
    "contracts": "Print the rules that every consumer must keep.",
    "fidelity": "Compare every historic stub with every release it stands for.",
    "finding": "Show what the last runs found, also as reports to send.",
    "gpu": "Check our module over real kernels, where the GPUs for it are.",
    "grid": "Show which releases of a consumer work with which of FlashInfer.",
    "packages": "Say which distributions and interpreters do not belong together.",
    "ranks": "Try a consumer over several real ranks, with and without trouble on some of them.",
    "stub": "Derive stub trees from recorded surfaces.",
    "surface": "Record, show and compare the surfaces of releases.",
    "wheels": "Keep real releases unpacked, for the wheel tier.",
}


class _Lazy(click.Group):
    """A group that imports a subcommand only to run it or to show that subcommand's help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"driftgate.commands.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        try:
            return super().invoke(ctx)
        except DriftgateError as error:
            click.echo(f"driftgate: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("driftgate: interrupted", err=True)
            ctx.exit(RunInterruptedError.exit_code)


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="driftgate")
@click.pass_context
def main(context: click.Context) -> None:
    """Try FlashInfer comm consumers against every API shape that flashinfer.comm has had."""
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGTERM, _end)
        context.call_on_close(lambda: signal.signal(signal.SIGTERM, before))


def _end(number: int, _: object) -> None:
    """Leave as an interrupt does, so that what was started is ended and what was made removed."""
    raise SystemExit(128 + number)
