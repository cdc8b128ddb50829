"""What is told with a time makes facts of the right days: by the packs that ship, and by a rule that asks the verb."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from slowwave.domain.claim import Claim
from slowwave.rules import default_roots, load_pack
from slowwave.rules.statements.statement_claims import StatementClaims
from tests.unit.rules.rulepacks import episode, packed, rule

EVERYDAY = load_pack(default_roots()[0] / "everyday")
STATEMENTS = StatementClaims("everyday", 1)


def at(date: str) -> datetime:
    """Nine in the morning of that day, told in UTC."""
    return datetime.fromisoformat(date).replace(hour=9, tzinfo=UTC)


def stated(told: str, date: str) -> Claim:
    """The one statement that is told on that day."""
    (claim,) = STATEMENTS.claims(episode(told, occurred=at(date)))
    return claim


@pytest.mark.parametrize(
    ("date", "told", "text"),
    [
        ("2026-11-10", "I start my new job on March 15.", "The user starts their new job on 15 March 2027"),
        ("2026-10-02", "I need 3 quotes by Friday.", "The user needs 3 quotes by 9 October 2026"),
        ("2026-01-12", "My hip operation is on the 3rd of February.", "The user's hip operation is on 3 February 2026"),
        ("2026-09-08", "My appointment moved to the 21st.", "The user's appointment moved to 21 September 2026"),
        ("2026-11-10", "My last day at Acme is Feb 28.", "The user's last day at Acme is 28 February 2027"),
        ("2026-11-10", "I'm going to Bergen at Christmas.", "The user is going to Bergen at Christmas 2026"),
        ("2026-11-10", "I want to hand in my thesis by the end of January.",
         "The user wants to hand in their thesis by the end of January 2027"),
        ("2026-04-07", "I'm on parental leave from May 1st to July 31st.",
         "The user is on parental leave from 1 May 2026 to 31 July 2026"),
        ("2026-11-28", "I'm away 3-10 August.", "The user is away 3 to 10 August 2027"),
        ("2026-11-28", "We're in Rome from August 28 to 30.", "The user is in Rome from 28 to 30 August 2027"),
        ("2026-03-09", "My contract was extended from June to December.",
         "The user's contract was extended from June 2026 to December 2026"),
        ("2026-03-09", "My contract was extended from June to March.",
         "The user's contract was extended from June 2026 to March 2027"),
        ("2026-03-09", "My gym day is Monday.", "The user's gym day is Monday"),
        ("2026-03-09", "My day off is on Friday.", "The user's day off is on Friday"),
        ("2026-03-09", "Bin day is Tuesday.", "Bin day is Tuesday"),
        ("2026-03-09", "My next gym day is Monday.", "The user's next gym day is 16 March 2026"),
        ("2026-03-09", "Our wedding day is Friday.", "The user's wedding day is 13 March 2026"),
        ("2026-11-10", "I was born on May 4th.", "The user was born on May 4th"),
        ("2026-11-10", "I have an appointment with my dentist on 15/03.",
         "The user has an appointment with their dentist on 15/03"),
        ("2026-11-10", "I go swimming every Friday.", "The user goes swimming every Friday"),
        ("2026-11-10", "My office is on the third floor as of next week.",
         "The user's office is on the third floor as of the week of 16 November 2026"),
    ],
)  # fmt: skip
def test_a_future_statement_has_a_future_date_and_is_valid_from_when_it_was_told(
    date: str, told: str, text: str
) -> None:
    claim = stated(told, date)

    assert (claim.text, claim.valid_from) == (text, at(date))


@pytest.mark.parametrize(
    ("date", "told", "text", "since"),
    [
        ("2026-10-02", "My pottery course ended on Friday.", "The user's pottery course ended on 25 September 2026",
         "2026-09-25"),
        ("2026-10-05", "I broke my wrist on Saturday.", "The user broke their wrist on 3 October 2026", "2026-10-03"),
        ("2026-11-10", "I have worked at Acme since March.", "The user has worked at Acme since March 2026",
         "2026-03-01"),
        ("2024-01-07", "On Friday, I got great news.", "On 5 January 2024, the user got great news", "2024-01-05"),
        ("2026-11-10", "I bought a tandem a fortnight ago.", "The user bought a tandem on 27 October 2026",
         "2026-10-27"),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("told", "since"),
    [
        ("I live in Ghent since March", "2026-03-01"),
        ("I've lived in Ghent since March", "2026-03-01"),
        ("I've been working at Acme since last May", "2025-05-01"),
        ("I've worked at Acme since 2019", "2019-01-01"),
        ("I've been playing the piano since 2010", "2010-01-01"),
        ("I've been a member of the choir since 2017", "2017-01-01"),
        ("I live in Ghent since the flood", "2026-03-20"),
        ("I work at Acme, it has been fun since 2019 ended", "2026-03-20"),
    ],
)
def test_a_typed_fact_begins_when_it_is_said_to_hold_since(told: str, since: str) -> None:
    claims = EVERYDAY.propose([episode(told, occurred=at("2026-03-20"))])
    (claim,) = (one for one in claims if one.form == "typed" and not one.effect)

    assert claim.valid_from.date().isoformat() == since
