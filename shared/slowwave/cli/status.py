"""`slowwave status`: the amount of stored and pending work."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import click

from slowwave.cli.dead_letters import of_the_installation
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import day, in_words, print_json, utc
from slowwave.domain.overview import DeskOverview, Overview, Waiting
from slowwave.formatting import counted, language, seconds
from slowwave.jobs.tick import Line, listing


@click.command
@tenant_option
@json_option
def command(tenant: str | None, as_json: bool) -> None:
    """Show how much is stored, how much work is pending or running, and the number of dead letters.

    Pending work is requested but not started; the output has the latest time at which each job starts.
    """
    with opened(tenant) as parts:
        overview = parts.records.overview(parts.settings.tenant)
        schedules, now = listing(parts.schedule, runs=1), parts.schedule.now()
        others = "" if as_json else of_the_installation(parts)
    if as_json:
        return print_json(overview)
    for name, text in _lines(overview, schedules, now):
        click.echo(f"{name:<13}{text}")
        if name == "dead letters" and others:
            click.echo(f"{'':<13}{others}")


def _lines(overview: Overview, schedules: Sequence[Line], now: datetime) -> Iterator[tuple[str, str]]:
    letters = sum(overview.dead_letters.values())
    unread = f"{overview.behind} of them not read yet" if overview.behind else "all of them read"
    yield "scopes", f"{overview.scopes}"
    yield "episodes", f"{overview.episodes}, {unread}"
    yield "facts", f"{overview.facts} believed now"
    yield "deltas", in_words(overview.deltas) or "none"
    yield "work", f"{overview.waiting} waiting, {overview.running} running"
    for one in overview.queue:
        yield "", f"{one.count} {one.job}, {_when(one, schedules, now)}"
    yield "overdue", f"for {seconds(overview.lag)}, the oldest" if overview.lag else "nothing"
    yield "dead letters", f"{letters} open: {in_words(overview.dead_letters)}" if letters else "none"
    if overview.unread:
        yield "languages", f"within a day {_languages(overview.unread)}, which no pack reads; recall finds them"
    if (desk := overview.desk) is not None and (desk.windows or desk.pending or desk.providers or desk.replies):
        yield from _model_calls(desk)
    yield "partitions", ", ".join(f"{name} until {day(until)}" for name, until in overview.partitions.items())
    yield "last tick", utc(overview.ticked) or "never: no scheduler has run here"


def _languages(unread: Mapping[str, int]) -> str:
    most = sorted(unread.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{counted(count, 'turns')} in {language(code)}" for code, count in most)


def _model_calls(overview: DeskOverview) -> Iterator[tuple[str, str]]:
    waiting = counted(overview.windows, "windows")
    yield "models", f"{counted(overview.pending, 'requests')} waiting, {overview.asked} asked, for {waiting}"
    cap = f" of {overview.cap_tokens}" if overview.cap_tokens is not None else ""
    money = (
        f", {overview.spent_money:.2f} of {overview.cap_money:.2f} in money" if overview.cap_money is not None else ""
    )
    yield "", f"{overview.spent_tokens}{cap} tokens spent today{money}"
    if overview.replies:
        alarm = ": the model may not follow the prompt, see `slowwave rules rejected`" if overview.speechless else ""
        yield "", f"{overview.silent} of {overview.replies} replies within a day gave no valid claim{alarm}"
    if overview.paused_until:
        yield "", f"paused: budget, until {utc(overview.paused_until)}"
    for one in overview.providers:
        state = f"open, retried at {utc(one.open_until)}" if one.open_until else "closed"
        failing = f" after {counted(one.failures, 'failures')}" if one.failures else ""
        yield "", f"{one.name}: {one.under_way} of {one.width} calls under way, breaker {state}{failing}"


def _when(one: Waiting, schedules: Sequence[Line], now: datetime) -> str:
    """Return the latest start of pending work: its due time, or the next time at which a schedule of its job fires."""
    fires = [run for line in schedules if line.schedule.job == one.job for run in line.next_runs]
    goes = min([one.first, *fires])
    return "due now" if goes <= now else f"the first at {utc(goes)}"
