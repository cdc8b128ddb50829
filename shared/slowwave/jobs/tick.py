"""The tick of a scheduler, every few seconds: fires due schedules, then lists the work that workers can claim.

Any number of schedulers may tick side by side, late or twice: a firing's key makes it happen once. Everything is
written before a worker is woken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TypeVar

from slowwave.core.cadence import Timetable, Turn, next_window, timetable, turn
from slowwave.domain.metrics.overview import Due
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.ports import Fired, Schedule, ScheduleStore

T = TypeVar("T")

MOST_BELLS = 1_000
"""The most work, oldest first, that one tick announces; later ticks announce the rest."""
LEAST_GRACE = timedelta(seconds=60)
"""A window that is later than this, and than two ticks, counts as missed by every scheduler."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The result of one tick: what fired, the due work that is not claimed, and failed schedules with reasons."""

    fired: tuple[Fired, ...] = ()
    due: tuple[Due, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A schedule as it is shown: the schedule, and its next due times."""

    schedule: Schedule
    next_runs: tuple[datetime, ...]


def tick(store: ScheduleStore, *, by: str, tick_seconds: float = 5) -> Tick:
    """Fire due schedules and return runnable work. Safe to repeat; raises `Unavailable` when the database is
    unreachable.

    A schedule that fails does not delay the others; it is due again at the next tick.
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


def listing(store: ScheduleStore, *, runs: int = 2) -> list[Line]:
    """Return every schedule with its next *runs*; no times if it is paused or waits for episodes."""
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


def _mend(store: ScheduleStore) -> None:
    """Recompute windows that a wrong clock put too far into the future, and make work due that it delayed."""
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
