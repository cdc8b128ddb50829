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
from slowwave.rules.dates import Direction, dated, direction, period
from tests.unit.rules.news.test_wordings import LATER
from tests.unit.rules.rulepacks import EVERYDAY, NINE, episode
from tests.unit.tables import over, table

ROWS = table(__file__)

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@over(ROWS["a_time_phrase_gives_its_days"])
def test_a_time_phrase_gives_its_days(words: str, prefer: Direction, text: str) -> None:
    with time_machine.travel(datetime(1999, 12, 31, tzinfo=UTC)):
        found = period(words, MONDAY, prefer)
    assert found is not None
    assert found.text == text


@over(ROWS["words_without_a_day_give_no_period"])
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


def told(before: str, after: str) -> tuple[Version | None, Version]:
    """Return the belief from *before*, told on 2 March, after *after* is told on 12 March, and its last version."""
    fold, first = Fold(predicates=EVERYDAY.predicates), None
    for number, text in enumerate((before, after), 1):
        at = NINE + (number - 1) * LATER
        turn = episode(text, number=number, session=f"s{number}", occurred=at, received=at, metadata={"speaker": "Sam"})
        for claim in EVERYDAY.propose([turn]):
            fold.decide(EVERYDAY.predicates.canonical(claim))
        first = first or next(version for versions in fold.active.values() for version in versions)
    assert first is not None
    parts = [
        version for version in fold.active[first.key] if version.fact == first.fact or version.object == first.object
    ]
    return next((one for one in fold.active[first.key] if one.valid.covers(NINE + LATER)), None), parts[-1]


@pytest.mark.parametrize(("before", "after", "until"), ROWS["what_has_ended_ended_when_the_words_say"])
def test_a_reported_end_ends_the_fact_on_the_stated_date(before: str, after: str, until: str) -> None:
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
def test_an_announced_end_ends_the_fact_on_its_date(before: str, after: str, until: str) -> None:
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
def test_another_time_in_the_sentence_does_not_date_the_end(before: str, after: str) -> None:
    now, last = told(before, after)

    assert now is None
    assert last.valid.end == NINE + LATER


def test_a_sale_years_ago_does_not_end_a_newer_belief() -> None:
    now, _ = told("I drive a Honda", "I sold the Honda in 2019")

    assert now is not None


LEFT = ("as said", "either way")
"""Marks of the table for a phrase without a date: it names no time, or the verb decides between past and future."""


def rows() -> Iterator[tuple[datetime, str, str, str]]:
    """Give the time at which each row was told, the text before its time, the text up to its end, and its meaning."""
    for part in yaml.safe_load((Path(__file__).parent / "table.yaml").read_text(encoding="utf-8")):
        day, date, clock, zone = part["said"].split()
        said = datetime.fromisoformat(f"{date}T{clock}").replace(tzinfo=ZoneInfo(zone))
        assert said.strftime("%a") == day, part["said"]
        for told, means in part["told"].items():
            yield said, told, part["said"], str(means)


PHRASES = list(rows())


def test_the_table_has_enough_phrases() -> None:
    assert len(PHRASES) >= 300
    assert sum(means in LEFT for *_, means in PHRASES) >= 40
    assert {said.weekday() for said, *_ in PHRASES} == set(range(7))


@over(PHRASES)
def test_each_time_phrase_of_the_table_is_read_as_in_english(said: datetime, told: str, when: str, means: str) -> None:
    begin, end = told.find("["), told.find("]") - 1
    begin, end = (begin, end) if begin >= 0 else (0, len(told))
    text = told.replace("[", "").replace("]", "")

    found = [one.period.text for one in dated(text, said) if one.period and one.start < end and begin < one.end]
    alone = period(text[begin:end], said, direction(text, begin, end))

    assert found == ([] if means in LEFT else [means])
    assert (alone.text if alone else "as said") == ("as said" if means in LEFT else means)


@pytest.mark.parametrize(("said", "zone", "hours"), ROWS["a_day_of_a_clock_change_has_23_or_25_hours"])
def test_a_day_of_a_clock_change_has_23_or_25_hours(said: str, zone: str, hours: int) -> None:
    found = period("tomorrow", datetime.fromisoformat(said).replace(tzinfo=ZoneInfo(zone)), None)

    assert found is not None
    assert (found.end - found.start).total_seconds() == hours * 3600
