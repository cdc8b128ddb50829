"""Simulation of schedules: what they would fire in a time span if a scheduler ran throughout. Writes nothing."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from slowwave.core.cadence import Window, timetable
from slowwave.domain.episode import EARLIEST, LATEST
from slowwave.errors import Incorrect
from slowwave.ports import Schedule

LONGEST = timedelta(days=3660)
"""The longest span: ten years with all their clock changes."""
MOST = 100_000
"""The most windows of one schedule that are counted; a schedule with more needs a shorter span."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The windows of one schedule in the span, in order; none if it is paused or waits for events rather than time."""

    schedule: Schedule
    windows: tuple[Window, ...]


def simulate(
    schedules: Sequence[Schedule], since: datetime, until: datetime, *, only: Collection[str] = ()
) -> list[Forecast]:
    """Return what each schedule, or those named in *only*, would fire from *since* to *until*, both included.

    Raises `Incorrect` with every problem of the span, the names and the schedules.
    """
    chosen = [one for one in schedules if not only or one.name in only]
    problems = [*_span_problems(since, until), *_name_problems(schedules, only)]
    forecasts: list[Forecast] = []
    for one in chosen if not problems else ():
        try:
            forecasts.append(Forecast(one, tuple(islice(_windows(one, since, until), MOST + 1))))
        except Incorrect as error:
            problems.append(f"{one.name}: {error.message}")
    problems += [
        f"{one.schedule.name}: more than {MOST} windows; choose a shorter span"
        for one in forecasts
        if len(one.windows) > MOST
    ]
    if problems:
        raise Incorrect.listing("the simulation", problems, hint="`slowwave schedule list` names every schedule")
    return forecasts


def _windows(schedule: Schedule, since: datetime, until: datetime) -> Iterator[Window]:
    table = timetable(schedule.kind, cron=schedule.cron, zone=schedule.zone, seconds=schedule.seconds)
    if table is None or schedule.paused:
        return iter(())
    return takewhile(lambda window: window.due <= until, table.since(since))


def _span_problems(since: datetime, until: datetime) -> Iterator[str]:
    if not EARLIEST <= since <= LATEST or not EARLIEST <= until <= LATEST:
        yield "it lies outside the years 1000 to 9000"
    elif until < since:
        yield f"it ends at {until.isoformat()}, before it begins at {since.isoformat()}"
    elif until - since > LONGEST:
        yield f"it spans {(until - since).days} days, at most {LONGEST.days} are allowed"


def _name_problems(schedules: Sequence[Schedule], only: Collection[str]) -> Iterator[str]:
    known = {one.name for one in schedules}
    yield from (f"there is no schedule {name!r}" for name in only if name not in known)
