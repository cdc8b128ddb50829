"""`slowwave schedule`: the times at which jobs and packs run."""

import click

from slowwave import wiring
from slowwave.cli.options import Listing, json_option, opened, run_now, tenant_option
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.cli.schedule import simulate
from slowwave.cli.schedule.triggers import in_words
from slowwave.domain.job_table import BUILT_IN, CONSOLIDATE, WINDOWED, pack_of
from slowwave.errors import Incorrect, NotFound
from slowwave.formatting import counted
from slowwave.jobs.tick import listing


@click.group(cls=Listing)
def command() -> None:
    """List, simulate, run, pause or resume the schedules of jobs and packs. Without a subcommand, list them."""


command.add_command(simulate.command)


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every schedule with its next two runs."""
    with opened() as parts:
        lines = listing(parts.schedule)
    if as_json:
        return print_json(lines)
    made = table("schedule", "job", "when", "next", "then", "last fired", "")
    for line in lines:
        one = line.schedule
        following, then = [*(utc(run) for run in line.next_runs), "", ""][:2]
        made.add_row(
            cell(one.name), one.job, cell(in_words(one)), following, then, utc(one.last_fired),
            "paused" if one.paused else "",
        )  # fmt: skip
    console().print(made)


@command.command("run-now")
@click.argument("name", required=False)
@tenant_option
def run_at_once(name: str | None, tenant: str | None) -> None:
    """Make the pending work of the job or pack NAME due now (by default, of every pack). A worker then runs this
    work."""
    with opened(tenant) as parts:
        packs = [each.pack for each in parts.packs]
        if name is not None and name not in (*packs, *BUILT_IN, CONSOLIDATE):
            known = ", ".join([*packs, CONSOLIDATE, *BUILT_IN])
            raise NotFound(f"there is no rule pack or job '{name}'", hint=f"there are: {known}")
        if name in BUILT_IN and name not in WINDOWED:
            return _run_job(parts, name, tenant)
        pack = pack_of(name) if name in BUILT_IN else None if name == CONSOLIDATE else name
        due = run_now(parts, tenant=tenant, pack=pack)
    scopes = len({one.scope for one in due})
    click.echo(f"{counted(scopes, 'scopes')} will be read now" if due else "there is no pending work")


def _run_job(parts: wiring.Parts, job: str, tenant: str | None) -> None:
    """Make a job that reads no episodes due now; the job itself finds the scopes with work."""
    if tenant is not None:
        raise Incorrect(f"{job} runs for every tenant", hint="leave --tenant out")
    count = parts.schedule.fire_job(job, pack_of(job), by=wiring.owner_name("manual"))
    if parts.bell is not None:
        for one in parts.schedule.runnable(most=1_000):
            if one.job == job:
                parts.bell.ring(one.scope, one.job)
    if not count:
        return click.echo(f"{job} has nothing to do")
    due = f"{counted(count, 'runs')} of {job} due now"
    click.echo(f"{due}; a worker runs {'it' if count == 1 else 'them'} (`slowwave work --until-idle`)")


@command.command
@click.argument("schedule")
def pause(schedule: str) -> None:
    """Pause SCHEDULE, named as in the list: it does not fire until you resume it."""
    with opened() as parts:
        parts.schedule.pause(schedule)
    click.echo(f"{schedule} is paused; `slowwave schedule resume {schedule}` resumes it")


@command.command
@click.argument("schedule")
def resume(schedule: str) -> None:
    """Resume SCHEDULE, so that it fires again from now on."""
    with opened() as parts:
        parts.schedule.resume(schedule)
    click.echo(f"{schedule} fires again")
