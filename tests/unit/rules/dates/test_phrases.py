"""Phrases of time and events are resolved to days."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import time_machine
import yaml

from slowwave.core.beliefs.versions import Version
from slowwave.core.fold import Fold
from slowwave.rules import default_roots, load_pack
from slowwave.rules.dates import Direction, dated, direction, period
from tests.unit.rules.news.test_wordings import LATER
from tests.unit.rules.rulepacks import NINE, episode

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


EVERYDAY = load_pack(default_roots()[0] / "everyday")


def told(before: str, after: str) -> tuple[Version | None, Version]:
    """Return what is believed of *before*, told on 2 March, when *after* is told on 12 March, and its last part."""
    fold, first = Fold(predicates=EVERYDAY.predicates), None
    for number, text in enumerate((before, after), 1):
        at = NINE + (number - 1) * LATER
        turn = episode(text, number=number, session=f"s{number}", occurred=at, received=at, metadata={"speaker": "Sam"})
        for claim in EVERYDAY.propose([turn]):
            fold.decide(EVERYDAY.predicates.canonical(claim))
        first = first or next(version for versions in fold.held.values() for version in versions)
    assert first is not None
    parts = [
        version for version in fold.held[first.key] if version.fact == first.fact or version.object == first.object
    ]
    return next((one for one in fold.held[first.key] if one.valid.covers(NINE + LATER)), None), parts[-1]


@pytest.mark.parametrize(
    ("before", "after", "until"),
    [
        ("I play the cello", "I sold the cello on Saturday", "2026-03-08"),
        ("I work at Siemens", "I left Siemens last week", "2026-03-09"),
        ("I work at Siemens", "Yesterday I quit my job", "2026-03-12"),
        ("I have a dog named Rex", "Rex died on Monday", "2026-03-10"),
        ("I want to paint the shed", "we painted the shed last weekend", "2026-03-09"),
        ("I need to call the plumber", "I called the plumber on Monday", "2026-03-10"),
        ("I need to call the plumber", "called the plumber about the leak yesterday", "2026-03-12"),
        ("I have a gym membership", "On Monday I cancelled my gym membership", "2026-03-10"),
        ("I sing in the choir", "the choir folded last week", "2026-03-09"),
        ("I use Firefox", "I switched to Brave on Saturday", "2026-03-08"),
    ],
)
def test_what_has_ended_ended_when_the_words_say(before: str, after: str, until: str) -> None:
    now, last = told(before, after)

    assert now is None
    assert last.valid.end.date().isoformat() == until


@pytest.mark.parametrize(
    ("before", "after", "until"),
    [
        ("I work at Siemens", "I'm leaving Siemens next month", "2026-04-01"),
        ("I sing in the choir", "I'm giving up the choir in June", "2026-06-01"),
        ("I drive a Honda", "I'm selling the Honda in 2027", "2027-01-01"),
    ],
)
def test_what_is_to_end_holds_until_then(before: str, after: str, until: str) -> None:
    now, _ = told(before, after)

    assert now is not None
    assert now.valid.end.date().isoformat() == until


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I play the cello", "I sold the cello that I bought last week"),
        ("I have a gym membership", "I cancelled the gym membership I got in January"),
        ("I sing in the choir", "I left the choir for the band"),
    ],
)
def test_another_time_in_the_sentence_is_not_that_of_the_end(before: str, after: str) -> None:
    now, last = told(before, after)

    assert now is None
    assert last.valid.end == NINE + LATER


def test_what_was_sold_years_ago_was_another() -> None:
    now, _ = told("I drive a Honda", "I sold the Honda in 2019")

    assert now is not None


LEFT = ("as said", "either way")
"""What no time can be made of: it names none, or the verb puts it behind or ahead."""


def rows() -> Iterator[tuple[datetime, str, str, str]]:
    """When something was told, what stands before the time in it and up to its end, and what it means."""
    for part in yaml.safe_load((Path(__file__).parent / "table.yaml").read_text(encoding="utf-8")):
        day, date, clock, zone = part["said"].split()
        said = datetime.fromisoformat(f"{date}T{clock}").replace(tzinfo=ZoneInfo(zone))
        assert said.strftime("%a") == day, part["said"]
        for told, means in part["told"].items():
            yield said, told, part["said"], str(means)


ROWS = list(rows())


def test_the_table_has_enough_phrases() -> None:
    assert len(ROWS) >= 300
    assert sum(means in LEFT for *_, means in ROWS) >= 40
    assert {said.weekday() for said, *_ in ROWS} == set(range(7))


@pytest.mark.parametrize(("said", "told", "when", "means"), ROWS, ids=[f"{row[2]}: {row[1]}" for row in ROWS])
def test_each_time_phrase_of_the_table_is_read_as_in_english(said: datetime, told: str, when: str, means: str) -> None:
    begin, end = told.find("["), told.find("]") - 1
    begin, end = (begin, end) if begin >= 0 else (0, len(told))
    text = told.replace("[", "").replace("]", "")

    found = [one.period.text for one in dated(text, said) if one.period and one.start < end and begin < one.end]
    alone = period(text[begin:end], said, direction(text, begin, end))

    assert found == ([] if means in LEFT else [means])
    assert (alone.text if alone else "as said") == ("as said" if means in LEFT else means)


@pytest.mark.parametrize(
    ("said", "zone", "hours"),
    [
        ("2026-03-28T12:00", "Europe/Berlin", 23),
        ("2026-10-24T12:00", "Europe/Berlin", 25),
        ("2026-03-07T23:59", "America/Los_Angeles", 23),
        ("2026-10-31T12:00", "America/Los_Angeles", 25),
        ("2026-09-26T12:00", "Pacific/Auckland", 23),
        ("2026-04-04T12:00", "Pacific/Auckland", 25),
        ("2026-04-04T12:00", "Asia/Tokyo", 24),
    ],
)
def test_a_day_of_a_clock_change_has_23_or_25_hours(said: str, zone: str, hours: int) -> None:
    found = period("tomorrow", datetime.fromisoformat(said).replace(tzinfo=ZoneInfo(zone)), None)

    assert found is not None
    assert (found.end - found.start).total_seconds() == hours * 3600
