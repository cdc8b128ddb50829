"""`slowwave schedule simulate`: what would fire, and when, in UTC and on the clocks of each schedule's zone."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from slowwave.cli.options import Instant, json_option, opened
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.cli.triggers import in_words
from slowwave.core.cadence import Window
from slowwave.jobs.simulate import Forecast, simulate

USUAL_SPAN = timedelta(days=7)


@click.command("simulate")
@click.argument("schedules", nargs=-1)
@click.option("--from", "since", type=Instant(), metavar="TIME", help="Where to begin; now by default.")
@click.option("--to", "until", type=Instant(), metavar="TIME", help="Where to end; a week later by default.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many windows of each are shown."
)
@json_option
def command(
    schedules: tuple[str, ...], since: datetime | None, until: datetime | None, limit: int, as_json: bool
) -> None:
    """Say which windows SCHEDULES, or all, would fire in a span of time. Nothing is fired and nothing written."""
    with opened() as parts:
        since = since or parts.schedule.now()
        until = until or since + USUAL_SPAN
        forecasts = simulate(parts.schedule.schedules(), since, until, only=schedules)
    if as_json:
        return print_json([_plain(forecast) for forecast in forecasts])
    click.echo(f"from {utc(since)} to {utc(until)}")
    _print_windows(forecasts, limit)
    _print_counts(forecasts)


def _print_windows(forecasts: Sequence[Forecast], limit: int) -> None:
    made = table("schedule", "UTC", "local time", "zone", "")
    for forecast in forecasts:
        zone = forecast.schedule.zone or "UTC"
        before: timedelta | None = None
        for window in forecast.windows[:limit]:
            local = window.due.astimezone(ZoneInfo(zone))
            changed = "the clocks have changed" if before not in (None, local.utcoffset()) else ""
            made.add_row(cell(forecast.schedule.name), utc(window.due), _local(window, zone), cell(zone), changed)
            before = local.utcoffset()
        if (more := len(forecast.windows) - limit) > 0:
            made.add_row(cell(forecast.schedule.name), f"and {more} more", "", "", "")
    if made.row_count:
        console().print(made)


def _print_counts(forecasts: Sequence[Forecast]) -> None:
    made = table("schedule", "job", "when", "windows", right=["windows"])
    for forecast in forecasts:
        one = forecast.schedule
        count = "paused" if one.paused else str(len(forecast.windows)) if _by_clock(forecast) else "-"
        made.add_row(cell(one.name), one.job, cell(in_words(one)), count)
    console().print(made)
    click.echo("- what waits for events and not for the clock fires when they come")


def _by_clock(forecast: Forecast) -> bool:
    return forecast.schedule.kind in ("cron", "interval")


def _local(window: Window, zone: str) -> str:
    local = window.due.astimezone(ZoneInfo(zone))
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
