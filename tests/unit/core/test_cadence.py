"""Due times of schedules over ten years of clock changes, leap days and short months."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowwave.core.cadence import Cron, Interval, Timetable, Window, next_window, turn, windows
from slowwave.errors import Incorrect

ZONES = (
    "Europe/Oslo",
    "America/New_York",
    "Australia/Lord_Howe",  # moves by half an hour
    "America/Santiago",  # changes at midnight: days without a 00:30
    "Africa/Casablanca",  # changes around Ramadan
    "Asia/Kolkata",  # no changes, but half an hour off
    "Africa/Cairo",
)
BEGIN, END = datetime(2019, 12, 31, tzinfo=UTC), datetime(2030, 1, 2, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

instants = st.integers(0, 3652 * 86_400).map(lambda seconds: BEGIN + timedelta(seconds=seconds))
minutes, hours = st.integers(0, 59), st.integers(0, 23)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


def between(timetable: Timetable, since: datetime, until: datetime) -> list[Window]:
    return list(takewhile(lambda window: window.due <= until, timetable.since(since)))


@pytest.mark.parametrize("zone", ["UTC", *ZONES])
@pytest.mark.parametrize("clock", ["0 3", "30 2", "30 0", "59 23", "0 0"])
def test_a_daily_cron_at_a_fixed_hour_fires_once_on_every_local_day_for_four_years(zone: str, clock: str) -> None:
    fired = between(Cron(f"{clock} * * *", zone), datetime(2022, 5, 31, tzinfo=UTC), datetime(2026, 6, 2, tzinfo=UTC))

    days = Counter(window.due.astimezone(ZoneInfo(zone)).date() for window in fired)
    in_between = [date(2022, 6, 1) + timedelta(days=n) for n in range((date(2026, 6, 1) - date(2022, 6, 1)).days)]
    assert [day for day in in_between if days[day] != 1] == []
    assert len({window.key for window in fired}) == len(fired)


@settings(max_examples=6)
@given(zone=st.sampled_from(sorted(available_timezones())), minute=minutes, hour=hours)
def test_a_daily_cron_fires_once_each_local_day_in_every_time_zone(zone: str, minute: int, hour: int) -> None:
    fired = between(Cron(f"{minute} {hour} * * *", zone), BEGIN, END)

    days = [window.due.astimezone(ZoneInfo(zone)).date() for window in fired]
    assert days[0] <= date(2020, 1, 1)
    assert {later - earlier for earlier, later in pairwise(days)} == {DAY}
    assert days[-1] >= date(2029, 12, 31)


@given(zone=st.sampled_from(ZONES), minute=minutes, hour=hours, since=instants)
def test_a_cron_with_a_fixed_hour_fires_at_its_local_time_if_it_exists(
    zone: str, minute: int, hour: int, since: datetime
) -> None:
    window = next_window(Cron(f"{minute} {hour} * * *", zone), since)

    local = window.due.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    wall = datetime.fromisoformat(window.key)
    assert (wall.hour, wall.minute) == (hour, minute)
    just_before = (window.due - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    assert local == wall or just_before < wall < local  # in the gap: at the first instant after it


@given(zone=st.sampled_from(ZONES), since=instants)
def test_an_hourly_cron_fires_every_hour_whatever_the_clocks_do(zone: str, since: datetime) -> None:
    fired = between(Cron("30 * * * *", zone), since, since + 3 * DAY)

    assert len({window.key for window in fired}) == len(fired)
    assert all(HOUR / 2 <= later.due - earlier.due <= 1.5 * HOUR for earlier, later in pairwise(fired))
    assert all(window.due.astimezone(ZoneInfo(zone)).minute == 30 for window in fired)


def test_a_repeated_hour_fires_once_for_a_daily_and_twice_for_an_hourly_cron() -> None:
    night = (utc(2026, 10, 24, 22), utc(2026, 10, 25, 3))

    named = between(Cron("30 2 * * *", "Europe/Oslo"), *night)
    every = between(Cron("30 * * * *", "Europe/Oslo"), *night)

    assert named == [Window(utc(2026, 10, 25, 0, 30), "2026-10-25T02:30")]
    assert [window.due.hour for window in every] == [22, 23, 0, 1, 2]


def test_a_daily_cron_that_starts_inside_the_repeated_hour_waits_a_day() -> None:
    second_half_past_two = utc(2026, 10, 25, 1, 29)

    assert next_window(Cron("30 2 * * *", "Europe/Oslo"), second_half_past_two).key == "2026-10-26T02:30"


def test_a_skipped_hour_fires_at_the_next_existing_instant() -> None:
    assert between(Cron("15,45 2 * * *", "Europe/Oslo"), utc(2026, 3, 29), utc(2026, 3, 29, 12)) == [
        Window(utc(2026, 3, 29, 1), "2026-03-29T02:15"),
        Window(utc(2026, 3, 29, 1), "2026-03-29T02:45"),
    ]


def test_a_skipped_day_fires_at_the_start_of_the_next() -> None:
    fired = between(Cron("0 3 * * *", "Pacific/Apia"), utc(2011, 12, 29, 10), utc(2011, 12, 31))

    assert [(window.key, window.due) for window in fired] == [
        ("2011-12-29T03:00", utc(2011, 12, 29, 13)),
        ("2011-12-30T03:00", utc(2011, 12, 30, 10)),
        ("2011-12-31T03:00", utc(2011, 12, 30, 13)),
    ]


def test_the_31st_comes_seven_times_a_year_and_the_leap_day_every_four() -> None:
    ends = between(Cron("0 3 31 * *"), utc(2020, 1, 1), utc(2029, 12, 31, 23))
    leaps = between(Cron("0 3 29 2 *"), utc(2020, 1, 1), utc(2029, 12, 31))

    assert len(ends) == 7 * 10
    assert [window.due.year for window in leaps] == [2020, 2024, 2028]


def test_the_next_leap_day_is_found_across_all_clock_changes_in_between() -> None:
    assert next_window(Cron("0 * 29 2 *", "Europe/Oslo"), utc(2024, 3, 1)).due == utc(2028, 2, 28, 23)


CRONS = ("0 3 * * *", "*/7 2 * * *", "30 */2 * * *", "*/20 * * * *", "15 0,23 * * 1-5", "0 1-3 31 * *", "5 2 l * *")


@given(
    timetable=st.one_of(
        st.builds(Cron, st.sampled_from(CRONS), st.sampled_from(["UTC", *ZONES])),
        st.builds(Interval, st.sampled_from([1, 60, 900, 901.5, 86_400, 1_234_567])),
    ),
    since=instants,
    cuts=st.lists(st.floats(0, 1), max_size=4),
)
def test_the_polling_interval_changes_no_window(timetable: Timetable, since: datetime, cuts: list[float]) -> None:
    span = 500 * timedelta(seconds=timetable.seconds) if isinstance(timetable, Interval) else 4 * DAY
    looks = sorted(since + span * cut for cut in [*cuts, 1.0])

    found: list[str] = []
    next_due = next_window(timetable, since).due
    for now in looks:
        if next_due <= now:
            one = turn(timetable, next_due, now, missed="catch_up", grace=HOUR)
            found += one.keys
            next_due = one.next_due
        assert next_due > now

    assert found == [window.key for window in between(timetable, since + timedelta(microseconds=1), looks[-1])]


@given(timetable=st.builds(Cron, st.sampled_from(CRONS), st.sampled_from(ZONES)), since=instants)
def test_windows_are_in_order_and_not_before_the_start(timetable: Cron, since: datetime) -> None:
    fired = between(timetable, since, since + 3 * DAY)

    assert fired == sorted(fired, key=lambda window: window.due)
    assert all(window.due >= since for window in fired)


def test_missed_windows_are_limited_to_the_newest_thousand() -> None:
    missed = windows(Cron("* * * * *", "Europe/Oslo"), utc(2020, 1, 1), utc(2026, 3, 5, 3), most=1000)

    assert len(missed) == 1000
    assert missed[-1].due == utc(2026, 3, 5, 3)
    assert missed[0].due == utc(2026, 3, 5, 3) - timedelta(minutes=999)


def test_a_changed_interval_has_new_window_keys() -> None:
    old = {window.key for window in between(Interval(900), utc(2026, 1, 1), utc(2026, 3, 1))}
    new = {window.key for window in between(Interval(901), utc(2026, 1, 1), utc(2026, 3, 1))}

    assert not old & new


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "not a cron at all", "61 * * * *"])
def test_a_cron_that_never_fires_is_refused_rather_than_waited_for(expression: str) -> None:
    with pytest.raises(Incorrect, match="does not fire"):
        next_window(Cron(expression), utc(2026, 1, 1))
