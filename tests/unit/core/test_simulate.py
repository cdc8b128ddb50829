"""The simulation of schedules lists what would fire, without firing it."""

from datetime import UTC, datetime, timedelta

import pytest

from slowwave.errors import Incorrect
from slowwave.jobs.tick import LONGEST, simulate
from slowwave.ports import Schedule

NIGHTLY = Schedule("night/cron", "consolidate", "night", "cron", cron="30 2 * * *", zone="Europe/Oslo")
QUARTERLY = Schedule("night/interval", "consolidate", "night", "interval", seconds=900.0)
COUNT = Schedule("night/count", "consolidate", "night", "count", every=100)
ODD = Schedule("odd/cron", "consolidate", "odd", "cron", cron="61 * * * *")
BEGIN = datetime(2026, 10, 24, tzinfo=UTC)
DAY = timedelta(days=1)


def test_an_interval_is_counted_and_an_event_is_not_foretold() -> None:
    quarterly, count = simulate([QUARTERLY, COUNT], BEGIN, BEGIN + DAY - timedelta(seconds=1))

    assert (len(quarterly.windows), count.windows) == (96, ())


def test_a_paused_schedule_fires_nothing() -> None:
    paused = Schedule("night/cron", "consolidate", "night", "cron", cron="0 3 * * *", paused=True)

    assert simulate([paused], BEGIN, BEGIN + DAY)[0].windows == ()


def test_a_simulation_reports_all_problems_at_once() -> None:
    with pytest.raises(Incorrect) as names:
        simulate([NIGHTLY], BEGIN, BEGIN - DAY, only=["nope", "night/cron", "neither"])
    with pytest.raises(Incorrect) as crons:
        simulate([ODD, Schedule("s/interval", "decay", "s", "interval", seconds=1.0)], BEGIN, BEGIN + 3 * DAY)

    assert all(word in str(names.value) for word in ("'nope'", "'neither'", "before it begins"))
    assert "odd/cron: the cron '61 * * * *' does not fire" in str(crons.value)
    assert "s/interval: more than 100000 windows" in str(crons.value)


def test_a_simulation_of_more_than_ten_years_is_refused() -> None:
    with pytest.raises(Incorrect, match="at most 3660 are allowed"):
        simulate([NIGHTLY], BEGIN, BEGIN + LONGEST + DAY)
    assert len(simulate([NIGHTLY], BEGIN, BEGIN + LONGEST)[0].windows) in (3660, 3661)


@pytest.mark.parametrize("year", [999, 9999])
def test_a_simulation_outside_the_years_1000_to_9000_is_refused(year: int) -> None:
    with pytest.raises(Incorrect, match="it lies outside the years 1000 to 9000"):
        simulate([NIGHTLY], BEGIN.replace(year=year), BEGIN.replace(year=year) + DAY)
