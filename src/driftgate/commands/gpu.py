"""``driftgate gpu``: our module over real kernels, where the GPUs for it are."""

from __future__ import annotations

import time
from pathlib import Path

import click

from driftgate.findings import State
from driftgate.gpu.needs import GENERATIONS, look_at_machine
from driftgate.gpu.rows import machine_facts, summary
from driftgate.gpu.session import run_session
from driftgate.paths import find_project


@click.command("gpu")
@click.argument("generation", type=click.Choice(sorted(GENERATIONS)))
@click.option("--require-gpu", is_flag=True, help="Exit with 1 where a check could not run.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the rows there; by default into .driftgate/results.",
)
@click.pass_context
def command(context: click.Context, generation: str, require_gpu: bool, into: Path | None) -> None:  # noqa: FBT001 - click hands flags over so
    """Check our module over NCCL and the installed FlashInfer's kernels.

    What this machine cannot show is `not-run`, with what it needs. Exits with 0 where nothing is
    wrong, and with 1 with findings.
    """
    started = time.monotonic()
    machine = look_at_machine()
    facts = machine_facts(machine)
    name = f"gpu-{generation}-{time.strftime('%Y%m%dT%H%M%S')}.jsonl"
    path = into or find_project().results / "results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    with path.open("w", encoding="utf-8") as file:
        for row in run_session(generation, machine):
            rows.append(row)
            file.write(row.as_json(facts) + "\n")
            file.flush()
            click.echo(f"{row.state.value}: {row.check}" + (f": {row.reason}" * bool(row.reason)))
    click.echo(f"results: {path}", err=True)
    click.echo(summary(rows, time.monotonic() - started))
    wrong = {State.FAIL, State.ERROR} | ({State.NOT_RUN} if require_gpu else set())
    if any(row.state in wrong for row in rows):
        context.exit(1)
