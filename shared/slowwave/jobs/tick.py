"""Schedules: the tick that fires schedules, and the simulation of schedules."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice, takewhile
from typing import TypeVar

from slowwave.core.cadence import Timetable, Turn, Window, next_window, timetable, turn
from slowwave.domain.episode import EARLIEST, LATEST
from slowwave.domain.overview import Due
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.ports import Fired, Schedule
from slowwave.store.schedule.schedule import PostgresSchedule

T = TypeVar("T")

MOST_BELLS = 1_000
"""The maximum number of pieces of work that one tick announces, oldest first. Later ticks announce the other pieces."""
LEAST_GRACE = timedelta(seconds=60)
"""A window counts as missed by every scheduler after this delay or two ticks, whichever is longer."""
LONGEST = timedelta(days=3660)
"""The longest span of a simulation: ten years."""
MOST = 100_000
"""The maximum number of windows of one schedule in a simulation. A schedule with more windows needs a shorter span."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The result of a tick: the firings, the due work that no worker has claimed, and errors of failed schedules."""

    fired: tuple[Fired, ...] = ()
    due: tuple[Due, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A schedule in a list, with its next due times."""

    schedule: Schedule
    next_runs: tuple[datetime, ...]


def tick(store: PostgresSchedule, *, by: str, tick_seconds: float = 5) -> Tick:
    """Fire due schedules and return runnable work. A repeated call is safe.

    Raises `Unavailable` when the database is unreachable.

    A schedule that fails does not delay the other schedules; the failed schedule is due again at the next tick.
    """
    decide = _deciding(max(LEAST_GRACE, timedelta(seconds=2 * tick_seconds)))
    problems: list[str] = []

    _attempt("a wrong clock", lambda: _mend(store), problems)
    fired = _attempt("ages", lambda: store.fire_ages(by=by), problems) or []
    fired += _attempt("idle scopes", lambda: store.fire_idle(by=by), problems) or []
    for name in store.due():
        one = _attempt(name, partial(store.fire, name, decide, by=by), problems)
        fired += [one] if one and one.keys else []

    due = store.runnable(most=MOST_BELLS)
    store.progressed(by=by)
    return Tick(tuple(fired), tuple(due), tuple(problems))


def listing(store: PostgresSchedule, *, runs: int = 2) -> list[Line]:
    """Return every schedule with the times of its next *runs*.

    A schedule that is paused or waits for episodes has no times.
    """
    now = store.now()
    return [Line(schedule, _next_runs(schedule, now, runs)) for schedule in store.schedules()]


def _deciding(grace: timedelta) -> Callable[[Schedule, datetime], Turn]:
    def decide(schedule: Schedule, now: datetime) -> Turn:
        windows = _timetable(schedule)
        if windows is None:
            raise Incorrect(f"the schedule {schedule.name!r} says nothing about when it is due")
        return turn(windows, schedule.next_due, now, missed=schedule.missed, grace=grace)

    return decide


def _attempt(about: str, act: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return act()
    except (Incorrect, Conflict, Unavailable) as error:
        problems.append(f"{about}: {error.message}")
        return None


def _mend(store: PostgresSchedule) -> None:
    """Repair the schedule after the clock was set back.

    Next windows that are too far in the future are computed again, and delayed work becomes due.
    """
    store.call_back()
    for schedule, now in store.ahead():
        windows, ahead = _timetable(schedule), schedule.next_due
        if windows and ahead and ahead > next_window(windows, now).due:
            store.reset(schedule.name, ahead)


def _next_runs(schedule: Schedule, now: datetime, runs: int) -> tuple[datetime, ...]:
    windows = _timetable(schedule)
    if windows is None or schedule.paused:
        return ()
    return tuple(window.due for window in islice(windows.since(schedule.next_due or now), runs))


def _timetable(schedule: Schedule) -> Timetable | None:
    return timetable(schedule.kind, cron=schedule.cron, zone=schedule.zone, seconds=schedule.seconds)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The windows of one schedule in the simulated span, sorted.

    A schedule that is paused or waits for events has no windows.
    """

    schedule: Schedule
    windows: tuple[Window, ...]


def simulate(
    schedules: Sequence[Schedule], since: datetime, until: datetime, *, only: Collection[str] = ()
) -> list[Forecast]:
    """Return the windows in which each schedule (or each one named in *only*) would fire from *since* to *until*, both
    included.

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
