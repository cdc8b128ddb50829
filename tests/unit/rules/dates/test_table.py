"""A time means the days that its words, its verb, the day and the place say; what may be several is left as said."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from slowwave.rules.dates import dated, direction, period

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
