"""Facts and statements get the days of the times in their words."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from slowwave.domain.claim import Claim
from slowwave.rules.statements.statement_claims import StatementClaims
from tests.unit.rules.rulepacks import EVERYDAY, episode, packed, rule
from tests.unit.tables import over, table

ROWS = table(__file__)

STATEMENTS = StatementClaims("everyday", 1)


def at(date: str) -> datetime:
    """Return nine in the morning of that day, in UTC."""
    return datetime.fromisoformat(date).replace(hour=9, tzinfo=UTC)


def stated(told: str, date: str) -> Claim:
    """Return the only statement that is told on that day."""
    (claim,) = STATEMENTS.claims(episode(told, occurred=at(date)))
    return claim


@over(ROWS["a_future_statement_has_a_future_date_and_is_valid_from_when_it_was_told"])
def test_a_future_statement_has_its_date_and_is_valid_from_when_it_was_told(date: str, told: str, text: str) -> None:
    claim = stated(told, date)

    assert (claim.text, claim.valid_from) == (text, at(date))


@pytest.mark.parametrize(("date", "told", "text", "since"), ROWS["a_past_statement_is_valid_from_its_day"])
def test_a_past_statement_is_valid_from_its_day(date: str, told: str, text: str, since: str) -> None:
    claim = stated(told, date)

    assert (claim.text, claim.valid_from.date().isoformat()) == (text, since)


@pytest.mark.parametrize(
    ("date", "told", "statement"),
    [
        ("2026-01-12", "My hip operation is on the 3rd of February.", "appointment hip operation (2026-02-03)"),
        ("2026-11-10", "The deadline for the report is Friday.", "deadline 2026-11-13"),
    ],
)
def test_a_typed_fact_has_the_days_that_a_statement_has(date: str, told: str, statement: str) -> None:
    (claim,) = [one for one in EVERYDAY.propose([episode(told, occurred=at(date))]) if not one.effect]

    assert f"{claim.predicate} {claim.object}" == statement


def test_a_plan_for_this_week_is_valid_from_when_it_was_told() -> None:
    claim = stated("I'm going to visit my cousin in Bergen this week.", "2026-11-11")

    assert (claim.tense, claim.valid_from) == ("future", at("2026-11-11"))


@pytest.mark.parametrize(
    ("told", "tense", "since"),
    [
        ("I'll always remember our camping trip last year when we saw a meteor shower.", "future", "2026-11-11"),
        ("I'm going to miss the old house that we sold in 2019.", "future", "2026-11-11"),
        ("I started going to boot camps with my sister last month.", "past", "2026-10-01"),
    ],
)
def test_a_time_of_another_event_does_not_date_a_plan(told: str, tense: str, since: str) -> None:
    claim = stated(told, "2026-11-11")

    assert (claim.tense, claim.valid_from.date().isoformat()) == (tense, since)


def test_yesterday_is_relative_to_the_speakers_utc_offset() -> None:
    late = datetime(2026, 10, 3, 6, 30, tzinfo=UTC)
    los_angeles, auckland = (
        STATEMENTS.claims(episode("I broke my wrist yesterday.", occurred=late, utc_offset=3600 * hours))[0].text
        for hours in (-7, 13)
    )

    assert los_angeles == "The user broke their wrist on 1 October 2026"
    assert auckland == "The user broke their wrist on 2 October 2026"


@pytest.mark.parametrize(
    ("told", "objects"),
    [
        ("The choir sang on Friday", ["2026-02-27"]),
        ("The choir is singing on Friday", ["2026-03-06"]),
        ("The choir wanted to sing on Friday", []),
    ],
)
def test_a_rule_can_place_a_date_by_the_tense_of_its_verb(tmp_path: Path, told: str, objects: list[str]) -> None:
    sings = rule(
        id="sings", says="When the choir sings.", when=r"choir .*(?P<when>on \w+day)",
        claim={"predicate": "sings", "object": "{when}"},
        when_time={"use": "object", "prefer": "tense", "required": True},
    )  # fmt: skip
    pack = packed(tmp_path, rules=[rule(), sings])

    assert [claim.object for claim in pack.propose([episode(told)])] == objects


@pytest.mark.parametrize(("told", "since"), ROWS["a_typed_fact_begins_when_it_is_said_to_hold_since"])
def test_a_typed_fact_begins_when_it_is_said_to_hold_since(told: str, since: str) -> None:
    claims = EVERYDAY.propose([episode(told, occurred=at("2026-03-20"))])
    (claim,) = (one for one in claims if one.form == "typed" and not one.effect)

    assert claim.valid_from.date().isoformat() == since
