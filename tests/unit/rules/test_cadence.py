"""A cadence is validated when it is read: it must be able to fire."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from slowwave.rules import Cadence
from slowwave.validation_messages import sentence

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_count_trigger_has_a_default_greatest_age() -> None:
    assert Cadence(every=100).max_age == timedelta(hours=24)
    assert Cadence(every=100, max_age=timedelta(hours=1)).max_age == timedelta(hours=1)
    assert Cadence(cron="0 3 * * *").max_age is None


def test_a_cron_runs_in_utc_and_catches_up_unless_it_says_otherwise() -> None:
    cadence = Cadence(cron="0 3 * * *")
    assert (cadence.tz, cadence.missed) == ("UTC", "catch_up")
    assert cadence.next_runs(NINE) == (datetime(2026, 3, 3, 3, tzinfo=UTC), datetime(2026, 3, 4, 3, tzinfo=UTC))


def test_a_cron_of_a_zone_follows_its_clock() -> None:
    cadence = Cadence(cron="0 3 * * *", tz="Europe/Oslo", missed="skip")
    assert cadence.next_runs(datetime(2026, 3, 28, 9, tzinfo=UTC)) == (
        datetime(2026, 3, 29, 1, tzinfo=UTC),
        datetime(2026, 3, 30, 1, tzinfo=UTC),
    )


def test_an_interval_runs_by_the_clock_too() -> None:
    quarter, half = NINE + timedelta(minutes=15), NINE + timedelta(minutes=30)

    assert Cadence(interval=timedelta(minutes=15)).next_runs(NINE) == (quarter, half)
    assert Cadence(interval=timedelta(minutes=15), cron="20 9 * * *").next_runs(NINE) == (
        quarter, NINE + timedelta(minutes=20)
    )  # fmt: skip
    assert Cadence(every=5).next_runs(NINE) == ()


@pytest.mark.parametrize("field", ["max_age", "interval", "idle"])
def test_a_cadence_over_ten_years_is_refused(field: str) -> None:
    with pytest.raises(ValidationError, match="less than or equal to"):
        Cadence.model_validate({"every": 5, field: "P999999999D"})


@pytest.mark.parametrize(
    ("cron", "problem"),
    [
        ("0 0 30 2 *", "it never fires"),
        ("0 3 * * * *", "expected five fields"),
        ("0 3 * *", "expected five fields"),
        ("@daily", "expected five fields"),
        ("R 3 * * *", "random fields"),
        ("0 r(0-5) * * *", "random fields"),
        ("60 3 * * *", "not a cron"),
        ("H 3 * * *", "not a cron"),
        (", ".join(["0"] * 60) + " 3 * * *", "at most 128 are allowed"),
    ],
)
def test_an_invalid_cron_is_refused(cron: str, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Cadence(cron=cron)


@pytest.mark.parametrize("cron", ["0 3 * MAR FRI", "*/5 9-17 * * 1-5", "0 0 29 2 *"])
def test_a_valid_cron_is_accepted(cron: str) -> None:
    assert len(Cadence(cron=cron).next_runs(NINE)) == 2


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "../etc/passwd", ""])
def test_a_zone_must_exist(zone: str) -> None:
    with pytest.raises(ValidationError, match="no such time zone"):
        Cadence(every=1, tz=zone)


@pytest.mark.parametrize("given", [{"every": 0}, {"every": "1"}, {"every": 1, "max_age": "PT0S"}, {"every": True}])
def test_a_count_is_a_number_of_episodes(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Cadence.model_validate(given)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("PT0S", "expected a length of time of 1 second or more, got 0 seconds"),
        ("P999999999999D", "expected a length of time, got text"),
        ("soon", "expected a length of time, got text"),
    ],
)
def test_a_length_of_time_is_refused_in_words(told: str, said: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Cadence.model_validate({"interval": told}, strict=False)

    assert [sentence(dict(problem)) for problem in refusal.value.errors()] == [said]
