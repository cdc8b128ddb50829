"""`slowwave schedule`: when each pack comes due."""

import click

from slowwave.cli.opening import json_option, opened, run_now, tenant_option
from slowwave.cli.printing import cell, console, print_json, seconds, table, utc
from slowwave.errors import NotFound
from slowwave.jobs.tick import listing
from slowwave.ports import Schedule


@click.group
def command() -> None:
    """When each pack comes due; run one now, pause or resume it."""


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
            cell(one.name), one.job, cell(_when(one)), following, then, utc(one.last_fired),
            "paused" if one.paused else "",
        )  # fmt: skip
    console().print(made)


def _when(schedule: Schedule) -> str:
    if schedule.kind == "count":
        return f"every {schedule.every} episodes"
    if schedule.kind == "cron":
        return f"{schedule.cron} in {schedule.zone or 'UTC'}"
    if schedule.seconds is not None:
        return f"{'after' if schedule.kind == 'age' else 'every'} {seconds(schedule.seconds)}"
    return "by hand"


@command.command("run-now")
@click.argument("pack", required=False)
@tenant_option
def run_at_once(pack: str | None, tenant: str | None) -> None:
    """Let PACK, or every pack, read now what it has not read yet, whatever its schedule says."""
    with opened(tenant) as parts:
        known = [each.pack for each in parts.packs]
        if pack is not None and pack not in known:
            raise NotFound(f"there is no rule pack '{pack}'", hint=f"there are: {', '.join(known)}")
        due = run_now(parts, tenant=tenant, pack=pack)
    scopes = len({one.scope for one in due})
    click.echo(f"{scopes} scope{'' if scopes == 1 else 's'} will be read now" if due else "there is nothing to read")


@command.command
@click.argument("schedule")
def pause(schedule: str) -> None:
    """Keep SCHEDULE, named as in the list, from firing."""
    with opened() as parts:
        parts.schedule.pause(schedule)
    click.echo(f"{schedule} is paused; `slowwave schedule resume {schedule}` ends that")


@command.command
@click.argument("schedule")
def resume(schedule: str) -> None:
    """Let SCHEDULE fire again, from now on."""
    with opened() as parts:
        parts.schedule.resume(schedule)
    click.echo(f"{schedule} fires again")
