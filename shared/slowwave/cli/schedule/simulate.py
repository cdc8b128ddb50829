"""`slowwave schedule simulate`: the future times of schedules, in UTC and in each schedule's time zone."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from slowwave.cli.options import Instant, json_option, opened
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.cli.schedule.triggers import in_words
from slowwave.domain.job_table import REPORT
from slowwave.formatting import counted
from slowwave.jobs.tick import Forecast, simulate

USUAL_SPAN = timedelta(days=7)
FREQUENT = 3
"""The output only counts the firings of a schedule that fires more often than this per day."""


@click.command("simulate")
@click.argument("schedules", nargs=-1)
@click.option("--from", "since", type=Instant(), metavar="TIME", help="Start of the span; now by default.")
@click.option(
    "--to", "until", type=Instant(), metavar="TIME", help="End of the span; a week after the start by default."
)
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="Maximum number of times.")
@json_option
def command(
    schedules: tuple[str, ...], since: datetime | None, until: datetime | None, limit: int, as_json: bool
) -> None:
    """List the times at which SCHEDULES (by default, all schedules) will fire, without firing them.

    Each line has a time and all schedules that fire at this time. Schedules that fire many times a day are only
    counted, unless you name them.
    """
    with opened() as parts:
        since = since or parts.schedule.now()
        until = until or since + USUAL_SPAN
        forecasts = simulate(parts.schedule.schedules(), since, until, only=schedules)
        for_nothing = parts.settings.reports is None and any(one.schedule.job == REPORT for one in forecasts)
    if as_json:
        return print_json([_plain(forecast) for forecast in forecasts])
    click.echo(f"from {utc(since)} to {utc(until)}")
    apart = [] if schedules else [one for one in forecasts if _is_frequent(one, until - since)]
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


def _is_frequent(forecast: Forecast, span: timedelta) -> bool:
    return len(forecast.windows) > FREQUENT * max(span / timedelta(days=1), 1)


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
