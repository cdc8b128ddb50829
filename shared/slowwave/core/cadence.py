"""Windows of a schedule. A window is one due time with a key; this module also says which due windows a scheduler
fires.

Because of its key, a window fires only once. The key of an interval window counts the intervals since 1970. The key of
a cron window is its UTC instant. If the cron names hours in a zone with clock changes, the key is the local time,
because a repeated hour must not fire twice. A window at a local time that a clock change skips fires at the first
instant after the skipped time.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Literal
from zoneinfo import ZoneInfo

from croniter import CroniterError, croniter

from slowwave.errors import Incorrect

MOST_WINDOWS = 1_000
"""The maximum number of missed windows that are recorded one by one. The newest missed windows are recorded."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)

Missed = Literal["catch_up", "skip"]


@dataclass(frozen=True, slots=True)
class Window:
    """One due time of a schedule, in UTC, and its unique key."""

    due: datetime
    key: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A timetable with a window every few seconds.

    The seconds count from 1970; therefore all schedulers have the same windows. The key of a window includes the length
    of the interval, because the counts repeat after a change of the length.

    >>> next_window(Interval(900), datetime(2026, 3, 2, 12, 5, tzinfo=UTC)).key
    '1969393x900'
    """

    seconds: float

    def since(self, instant: datetime) -> Iterator[Window]:
        """Return the windows due at *instant* or later, in order."""
        length = timedelta(seconds=self.seconds)
        count = -((_EPOCH - instant) // length)
        while True:
            yield Window(_EPOCH + count * length, f"{count}x{self.seconds:.15g}")
            count += 1


@dataclass(frozen=True, slots=True)
class Cron:
    """A timetable by five fields (minute hour day month weekday), which are local times in *zone*.

    >>> next_window(Cron("0 3 * * *"), datetime(2026, 3, 2, 12, tzinfo=UTC)).key
    '2026-03-03T03:00+00:00'
    >>> next_window(Cron("0 3 * * *", "Europe/Oslo"), datetime(2026, 3, 2, 12, tzinfo=UTC))
    Window(due=datetime.datetime(2026, 3, 3, 2, 0, tzinfo=datetime.timezone.utc), key='2026-03-03T03:00')
    """

    expression: str
    zone: str = "UTC"

    def since(self, instant: datetime) -> Iterator[Window]:
        """Give the windows that are due at *instant* or later, in order. Raises `Incorrect` if there are no windows."""
        zone = ZoneInfo(self.zone)
        try:
            every_hour = croniter.expand(self.expression)[0][1] == ["*"]
            yield from (self._instants if every_hour or self.zone == "UTC" else self._walls)(instant, zone)
        except CroniterError as error:
            raise Incorrect(f"the cron {self.expression!r} does not fire: {error}") from error

    def _instants(self, instant: datetime, zone: ZoneInfo) -> Iterator[Window]:
        """Give windows by elapsed time.

        An hour that clocks repeat counts twice, and an hour that clocks skip does not count.
        """
        while True:
            offset = _offset(instant, zone)
            for wall in self._after(instant + offset - _TICK):
                due = wall - offset
                if change := _change(instant, due, zone):
                    instant = change
                    break
                yield Window(due, due.isoformat(timespec="minutes"))
                instant = due

    def _walls(self, instant: datetime, zone: ZoneInfo) -> Iterator[Window]:
        """Give windows by local time. Each local time counts once, at the first instant when clocks show this time."""
        before = instant - _TICK
        for wall in self._after(before + _offset(before, zone)):
            due = _first_shown(wall.replace(tzinfo=None), zone)
            if due >= instant:
                yield Window(due, f"{wall:%Y-%m-%dT%H:%M}")

    def _after(self, wall: datetime) -> Iterator[datetime]:
        """Give the matches after *wall*, without a time zone, because croniter needs naive times that start at a whole
        minute.
        """
        matches = croniter(self.expression, wall.replace(second=0, microsecond=0))
        while True:
            yield matches.get_next(datetime)


Timetable = Interval | Cron
"""All windows of a schedule."""


def timetable(kind: str, *, cron: str | None, zone: str | None, seconds: float | None) -> Timetable | None:
    """Return the timetable of a schedule by clock, or None for a schedule with another trigger."""
    if kind == "cron" and cron:
        return Cron(cron, zone or "UTC")
    if kind == "interval" and seconds:
        return Interval(seconds)
    return None


@dataclass(frozen=True, slots=True)
class Turn:
    """The rows to write for a schedule: the keys of the windows that fire, from the oldest on, and the time of the next
    check.
    """

    keys: tuple[str, ...]
    next_due: datetime


def turn(timetable: Timetable, next_due: datetime | None, now: datetime, *, missed: Missed, grace: timedelta) -> Turn:
    """Return the rows to write at *now* for a schedule whose next window was due at *next_due*.

    Without *next_due*, the schedule is new, and no window fires. A window that was due more than *grace* ago is missed;
    it fires unless *missed* is `skip`.
    """
    due = windows(timetable, next_due, now) if next_due else []
    if missed == "skip":
        due = [window for window in due if now - window.due <= grace]
    return Turn(tuple(window.key for window in due), next_window(timetable, now).due)


def next_window(timetable: Timetable, after: datetime) -> Window:
    """Return the first window that is due later than *after*."""
    return next(timetable.since(after + _TICK))


def windows(timetable: Timetable, since: datetime, until: datetime, most: int = MOST_WINDOWS) -> list[Window]:
    """Return the last *most* windows that are due from *since* to *until* (both inclusive), in order.

    The search goes backwards in growing steps. Therefore a schedule that was down for years needs no full count.
    """
    back = timedelta(hours=1)
    while True:
        start = max(since, until - back)
        found = deque(takewhile(lambda window: window.due <= until, timetable.since(start)), maxlen=most)
        if start == since or len(found) == most:
            return list(found)
        back *= 2


def _offset(instant: datetime, zone: ZoneInfo) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta(0)


def _change(instant: datetime, until: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the first second after *instant*, at most *until*, with another UTC offset than *instant*."""
    if zone.key == "UTC":
        return None
    offset = _offset(instant, zone)
    while instant < until:
        later = min(instant + _DAY, until)
        if _offset(later, zone) != offset:
            return _change_between(instant, later, zone)
        instant = later
    return None


def _change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the second of the clock change between *before* and *after*, which have different UTC offsets."""
    before = before.replace(microsecond=0)
    offset = _offset(before, zone)
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if _offset(middle, zone) == offset:
            before = middle
        else:
            after = middle
    return after


def _first_shown(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant at which clocks show *wall*.

    If clocks skip *wall*, return the first instant after the skipped time.
    """
    due = wall.replace(tzinfo=zone).astimezone(UTC)
    if due.astimezone(zone).replace(tzinfo=None) == wall:
        return due
    return _change_between(wall.replace(tzinfo=zone, fold=1).astimezone(UTC), due, zone)
