"""`slowwave schedule`: the times at which jobs and packs run, now and simulated."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from slowwave import wiring
from slowwave.cli.options import json_option, opened, run_now, tenant_option
from slowwave.cli.options.choices import Instant, Listing
from slowwave.cli.printing import cell, console, print_json, print_listing, table, utc
from slowwave.domain.job_table import BUILT_IN, CONSOLIDATE, REPORT, WINDOWED, pack_of
from slowwave.errors import Incorrect, NotFound
from slowwave.formatting import counted, seconds
from slowwave.jobs.tick import Forecast, listing, simulate
from slowwave.ports import Schedule

USUAL_SPAN = timedelta(days=7)
FREQUENT = 3
"""If a schedule fires more often per day than this number, the output has only the count of its firings."""


def in_words(schedule: Schedule) -> str:
    """Return in words when *schedule* fires.

    >>> in_words(Schedule("night/cron", "consolidate", "night", "cron", cron="0 3 * * *", zone="Europe/Oslo"))
    '0 3 * * * in Europe/Oslo'
    >>> in_words(Schedule("night/shift", "consolidate", "night", "semantic_shift", threshold=0.3, min_events=3))
    'when an event lies further than 0.30 from a topic of 3 events or more'
    """
    match schedule.kind:
        case "count":
            return f"every {counted(schedule.every or 0, 'episodes')}"
        case "age":
            return f"after {seconds(schedule.seconds)} at the latest"
        case "cron":
            return f"{schedule.cron} in {schedule.zone or 'UTC'}"
        case "interval":
            return f"every {seconds(schedule.seconds)}"
        case "idle":
            return f"when no event has arrived for {seconds(schedule.seconds)}"
        case "semantic_shift":
            topic = "the last consolidated topic" if schedule.reference == "consolidated" else "a topic"
            return (
                f"when an event lies further than {schedule.threshold or 0:.2f} from {topic} "
                f"of {counted(schedule.min_events or 0, 'events')} or more"
            )
        case "token_pressure":
            return f"when a working memory holds more than {counted(schedule.every or 0, 'tokens')}"
        case "capacity":
            return f"when the tier {schedule.tier} overflows" if schedule.tier else "when a tier overflows"
        case "session_end":
            return "when a session ends"
        case "manual":
            return "by hand"


@click.command("simulate")
@click.argument("schedules", nargs=-1)
@click.option("--from", "since", type=Instant(), metavar="TIME", help="Start of the span; now by default.")
@click.option(
    "--to", "until", type=Instant(), metavar="TIME", help="End of the span; a week after the start by default."
)
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="Maximum number of times.")
@json_option
def simulate_command(
    schedules: tuple[str, ...], since: datetime | None, until: datetime | None, limit: int, as_json: bool
) -> None:
    """List the times at which SCHEDULES will fire.

    The command does not fire them. Without SCHEDULES, it covers all schedules. Each line has a time and all schedules
    that fire at this time. Schedules that fire many times a day are only counted, unless you name them.
    """
    with opened() as parts:
        since = since or parts.schedule.now()
        until = until or since + USUAL_SPAN
        forecasts = simulate(parts.schedule.schedules(), since, until, only=schedules)
        for_nothing = parts.settings.reports is None and any(one.schedule.job == REPORT for one in forecasts)
    if as_json:
        return print_json([_plain(forecast) for forecast in forecasts])
    click.echo(f"from {utc(since)} to {utc(until)}")
    most = FREQUENT * max((until - since) / timedelta(days=1), 1)
    apart = [] if schedules else [one for one in forecasts if len(one.windows) > most]
    _print_times([one for one in forecasts if one not in apart], limit)
    _print_counts(forecasts, apart)
    if for_nothing:
        click.echo(f"- {REPORT} writes nothing: SLOWWAVE_REPORTS is not set")


def _print_times(forecasts: Sequence[Forecast], limit: int) -> None:
    """Print the schedules that fire at each time, in order of time."""
    times: dict[tuple[datetime, str], list[str]] = {}
    for forecast in forecasts:
        for window in forecast.windows:
            times.setdefault((window.due, forecast.schedule.zone or "UTC"), []).append(forecast.schedule.name)
    made = table("UTC", "local time", "zone", "", "what fires")
    before: dict[str, timedelta | None] = {}
    for due, zone in sorted(times)[:limit]:
        local = due.astimezone(ZoneInfo(zone))
        changed = "the clocks have changed" if before.get(zone) not in (None, local.utcoffset()) else ""
        made.add_row(utc(due), _clock(local), cell(zone), changed, cell(", ".join(times[due, zone])))
        before[zone] = local.utcoffset()
    if made.row_count:
        console().print(made)
    if len(times) > limit:
        click.echo(f"and at {counted(len(times) - limit, 'more times')}; --limit shows more")
    click.echo()


def _print_counts(forecasts: Sequence[Forecast], apart: Sequence[Forecast]) -> None:
    made = table("schedule", "job", "when", "fires", "", right=["fires"])
    for forecast in forecasts:
        one = forecast.schedule
        count = "paused" if one.paused else str(len(forecast.windows)) if _by_clock(forecast) else "-"
        made.add_row(
            cell(one.name), one.job, cell(in_words(one)), count, "not shown above" if forecast in apart else ""
        )
    console().print(made)
    click.echo("- schedules with an event as trigger fire when the event arrives")


def _by_clock(forecast: Forecast) -> bool:
    return forecast.schedule.kind in ("cron", "interval")


def _clock(local: datetime) -> str:
    offset = f"{local:%z}"
    return f"{local:%a %Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:]}"


def _plain(forecast: Forecast) -> dict[str, object]:
    one = forecast.schedule
    zone = ZoneInfo(one.zone or "UTC")
    return {
        "schedule": one.name,
        "job": one.job,
        "when": in_words(one),
        "paused": one.paused,
        "count": len(forecast.windows) if _by_clock(forecast) else None,
        "windows": [
            {"due": window.due, "local": window.due.astimezone(zone).isoformat(), "key": window.key}
            for window in forecast.windows
        ],
    }


@click.group(cls=Listing)
def schedule_command() -> None:
    """List, simulate, run, pause or resume the schedules of jobs and packs. Without a subcommand, list them."""


schedule_command.add_command(simulate_command)


@schedule_command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List every schedule with its next two runs."""
    with opened() as parts:
        lines = listing(parts.schedule)
    print_listing(
        lines, as_json=as_json, none="there are no schedules",
        columns=["schedule", "job", "when", "next", "then", "last fired", ""],
        row=lambda line: [
            cell(line.schedule.name), line.schedule.job, cell(in_words(line.schedule)),
            *[*(utc(run) for run in line.next_runs), "", ""][:2], utc(line.schedule.last_fired),
            "paused" if line.schedule.paused else "",
        ],
    )  # fmt: skip


@schedule_command.command("run-now")
@click.argument("name", required=False)
@tenant_option
def run_at_once(name: str | None, tenant: str | None) -> None:
    """Make the pending work of a job or pack due now.

    NAME is the job or the pack; without NAME, the work of every pack is due. A worker then runs this work.
    """
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
    count = 0
    for here in parts.each_cell().values():
        count += here.schedule.fire_job(job, pack_of(job), by=wiring.owner_name("manual"))
        if here.bell is not None:
            for one in here.schedule.runnable(most=1_000):
                if one.job == job:
                    here.bell.ring(one.scope, one.job)
    if not count:
        return click.echo(f"{job} has nothing to do")
    due = f"{counted(count, 'runs')} of {job} due now"
    click.echo(f"{due}; a worker runs {'it' if count == 1 else 'them'} (`slowwave work --until-idle`)")


@schedule_command.command
@click.argument("schedule")
def pause(schedule: str) -> None:
    """Pause SCHEDULE, so that it does not fire until you resume it.

    `slowwave schedule list` shows the names of the schedules.
    """
    with opened() as parts:
        for here in parts.each_cell().values():
            here.schedule.pause(schedule)
    click.echo(f"{schedule} is paused; `slowwave schedule resume {schedule}` resumes it")


@schedule_command.command
@click.argument("schedule")
def resume(schedule: str) -> None:
    """Resume SCHEDULE, so that it fires again from now on."""
    with opened() as parts:
        for here in parts.each_cell().values():
            here.schedule.resume(schedule)
    click.echo(f"{schedule} fires again")
