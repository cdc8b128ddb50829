"""`slowwave runs`: the runs of jobs, with scope, worker and outcome."""

import uuid

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, in_words, print_json, table, utc
from slowwave.domain.job_table import INSTALLATION
from slowwave.domain.overview import PastRun
from slowwave.formatting import seconds


@click.command
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Maximum number of runs.")
@click.option("--task", metavar="ID", help="Only runs of this Celery task id, as shown by Flower.")
@click.option(
    "--scope", type=click.UUID, help="Only runs of this scope or slice; also prints its user, agent and channel."
)
@tenant_option
@json_option
def command(limit: int, task: str | None, scope: uuid.UUID | None, tenant: str | None, as_json: bool) -> None:
    """List the latest runs, newest first: the job, the episodes read, the outcome and the results."""
    with opened(tenant) as parts:
        runs = parts.records.runs(parts.settings.tenant, most=limit, task=task, scope=scope)
    if as_json:
        return print_json(runs)
    if not runs:
        return click.echo("no run matches that task or scope" if task or scope else "nothing has run yet")
    made = table("run", "scope", "job", "episodes", "outcome", "wrote", "began", "took", right=["run", "took"])
    for run in runs:
        made.add_row(
            str(run.run), cell(_where(run)), f"{run.job} {run.pack}", f"{run.lo} to {run.hi}" if run.hi else "",
            cell(_outcome(run)),
            in_words({kind: count for kind, count in run.counts.items() if kind != "episodes"}),
            utc(run.started), seconds(run.duration),
        )  # fmt: skip
    console().print(made)


def _where(run: PastRun) -> str:
    if run.scope is not None:
        return f"{run.scope.user}/{run.scope.agent}/{run.scope.channel}"
    return "the installation" if run.job in INSTALLATION else f"slice {run.slice}"


def _outcome(run: PastRun) -> str:
    return f"{run.outcome or 'running'}: {run.error}" if run.error else run.outcome or f"running, {run.owner}"
