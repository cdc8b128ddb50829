"""Dates in words are told from when they were said, never from the host's clock."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import time_machine

from slowwave.rules.dates import Direction, period

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "prefer", "text"),
    [
        ("yesterday", "past", "2026-03-01"),
        ("the day before yesterday", "past", "2026-02-28"),
        ("tomorrow", "future", "2026-03-03"),
        ("tonight", "future", "2026-03-02"),
        ("last night", "past", "2026-03-01"),
        ("last week", "past", "week of 2026-02-23"),
        ("next month", "future", "2026-04"),
        ("last month", "past", "2026-02"),
        ("last year", "past", "2025"),
        ("last weekend", "past", "weekend of 2026-02-28"),
        ("this weekend", "future", "weekend of 2026-03-07"),
        ("this past weekend", "past", "weekend of 2026-02-28"),
        ("next Friday", "future", "2026-03-06"),
        ("last Friday", "past", "2026-02-27"),
        ("on Monday", "past", "2026-02-23"),
        ("on Monday", "future", "2026-03-09"),
        ("two days ago", "past", "2026-02-28"),
        ("in two weeks", "future", "2026-03-16"),
        ("a couple of months ago", "past", "2026-01"),
        ("3 years ago", "past", "2023"),
        ("last July", "past", "2025-07"),
        ("in May", "future", "2026-05"),
        ("in May", "past", "2025-05"),
        ("in 2019", "past", "2019"),
        ("on June 3rd", "future", "2026-06-03"),
        ("on the 15th", "past", "2026-02-15"),
        ("on the 2nd", "past", "2026-03-02"),
        ("the 15th", "future", "2026-03-15"),
        ("on the 1st", "future", "2026-04-01"),
        ("on June 3rd", "past", "2025-06-03"),
        ("3 June 2024", "past", "2024-06-03"),
        ("the 3rd of June", "future", "2026-06-03"),
        ("June 2021", "past", "2021-06"),
        ("on 2026-05-01", "future", "2026-05-01"),
        ("2026-03-05T17:30:00Z", "past", "2026-03-05"),
        ("25/12/2025", "past", "2025-12-25"),
        ("12/25/2025", "past", "2025-12-25"),
        ("5/5/2025", "past", "2025-05-05"),
        ("25.12.25", "past", "2025-12-25"),
        ("2/2/70", "past", "1970-02-02"),
        ("mar. 5, '25", "past", "2025-03-05"),
        ("Thursday, March 5th at 5 p.m.", "future", "2026-03-05"),
        ("Sept 9", "past", "2025-09-09"),
        ("5-mar-2025", "past", "2025-03-05"),
        ("the 4th of July, 1776", "past", "1776-07-04"),
        ("the twenty-second of May 2025", "past", "2025-05-22"),
        ("2025, December 24", "past", "2025-12-24"),
        ("Feb 29", "past", "2024-02-29"),
        ("2 March at noon", "past", "2026-03-02"),
    ],
)
def test_a_time_phrase_gives_its_days(words: str, prefer: Direction, text: str) -> None:
    with time_machine.travel(datetime(1999, 12, 31, tzinfo=UTC)):
        found = period(words, MONDAY, prefer)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "words",
    [
        "",
        "soon",
        "two weeks",
        "2 cats ago",
        "in 99 doors",
        "32 June",
        "the",
        "on 2026-02-30",
        "13/13/2025",
        "5 p.m.",
        "12.30",
        "May 3 or 4",
        "5/2025",
        "3/5/2025",
        "1.2.2025",
        "15/03",
    ],
)
def test_words_without_a_day_give_no_period(words: str) -> None:
    assert period(words, MONDAY, "past") is None


def test_dates_outside_the_calendar_give_no_period() -> None:
    assert period("999 years ago", datetime(900, 1, 1, tzinfo=UTC), "past") is None
    assert period("tomorrow", datetime(9999, 12, 31, tzinfo=UTC), "future") is None


NEW_YORK, TOKYO = timezone(timedelta(hours=-5)), timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("said", "day", "begins"),
    [
        (datetime(2026, 3, 2, 22, tzinfo=NEW_YORK), "2026-03-03", datetime(2026, 3, 3, 5, tzinfo=UTC)),
        (datetime(2026, 3, 3, 8, tzinfo=TOKYO), "2026-03-04", datetime(2026, 3, 3, 15, tzinfo=UTC)),
        (datetime(2026, 3, 2, 22, tzinfo=UTC), "2026-03-03", datetime(2026, 3, 3, tzinfo=UTC)),
    ],
)
def test_tomorrow_is_the_next_day_of_the_speaker(said: datetime, day: str, begins: datetime) -> None:
    found = period("tomorrow", said, "future")

    assert found is not None
    assert (found.text, found.start, found.end) == (day, begins, begins + timedelta(days=1))
