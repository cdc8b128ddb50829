"""Claims that arrive late lead to the same beliefs as claims in time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.predicates import Predicate, Predicates
from slowwave.domain.claim import Claim
from tests.unit.core.histories import claim, outlines, rebuilt
from tests.unit.core.news.happenings import news, placed, stated
from tests.unit.late_arrivals.ledgers import Ledger

WORLD = Predicates([
    Predicate("drives", kinds=("car",), policy="prefer_new"),
    Predicate("boss", aliases=("manager",), single_valued=True, policy="prefer_new", object="person"),
    Predicate("pet", policy="prefer_new"),
    Predicate("plans", ahead=True),
    Predicate("lives_in", single_valued=True, policy="prefer_new"),
    Predicate("appointment", policy="prefer_new"),
    Predicate("colleague", policy="prefer_new"),
])  # fmt: skip


def pet(object_: str, mode: str = "assert") -> Claim:
    """Return a claim about a pet."""
    return claim(object_, predicate="pet", mode=mode, single_valued=False)  # type: ignore[arg-type]


def one(predicate: str, object_: str) -> Claim:
    """Return a claim with a predicate of these stories."""
    return claim(object_, predicate=predicate, single_valued=WORLD.of(predicate).single_valued)


def meant(object_: str) -> Claim:
    """Return a correction that does not name the corrected value."""
    return claim(object_, predicate="*", mode="correct", single_valued=False)


def bike(text: str = "The user wants to buy a bike", verb: str = "want") -> Claim:
    """Return a claim of a wish."""
    return stated(text, verb=verb)


STORIES: dict[str, list[Claim]] = {
    "a plan that came about": [bike(), news("bought bike", "fulfil")],
    "a plan that came about among others": [
        bike(),
        bike("The user wants to visit Rome"),
        news("visited Rome", "fulfil"),
        news("bought bike", "fulfil"),
    ],
    "a plan of another kind that came about": [one("plans", "buy a bike"), bike(), news("bought bike", "fulfil")],
    "two plans that came about": [
        bike(),
        bike("The user wants a bike"),
        bike("The user wants to buy a red bike"),
        news("bought red bike", "fulfil"),
    ],
    "what changed": [
        stated("The user takes the Spanish course", verb="take"),
        news("the Spanish course is over", "change"),
    ],
    "what was sold": [one("drives", "Honda"), news("Honda"), one("drives", "Toyota")],
    "which of two was sold": [one("drives", "Honda"), one("drives", "Toyota"), news("car")],
    "which of two was sold, and one was told again": [
        one("drives", "Honda"),
        one("drives", "Toyota"),
        news("car"),
        one("drives", "Honda"),
    ],
    "one of two was sold, then the car": [one("drives", "Honda"), one("drives", "Toyota"), news("Honda"), news("car")],
    "which of three was sold": [one("drives", "Honda"), one("drives", "Toyota"), one("drives", "Seat"), news("car")],
    "a pet given away": [pet("Pepper (cat)"), pet("Pepper", "end")],
    "a pet given away by its kind": [pet("Pepper (cat)"), pet("Rex (dog)"), pet("cat", "end")],
    "which of two pets was given away": [pet("Pepper (cat)"), pet("Pepper (dog)"), pet("Pepper", "end")],
    "a pet given away and taken back": [pet("Pepper (cat)"), pet("Pepper", "end"), pet("Pepper (cat)")],
    "homes": [claim("Lisbon"), claim("Oslo"), claim("Rome"), claim("Oslo", mode="end")],
    "a home that is mended": [claim("Lisbon"), replace(claim("Oslo", mode="correct"), wrong="Lisbon"), claim("Rome")],
    "a home that was meant otherwise": [claim("Lisbon"), meant("Porto"), claim("Rome")],
    "one of two that was meant otherwise": [one("colleague", "Anna"), one("drives", "Honda"), meant("Hanna")],
    "what is to be forgotten": [pet("Rex (dog)"), replace(meant(""), mode="forget"), pet("Pepper (cat)")],
    "what is moved": [
        one("appointment", "dentist on 20 May 2026"),
        news("dentist", "move"),
        one("appointment", "dentist on 22 May 2026"),
    ],
    "bosses": [
        one("boss", "Ana"),
        news("Ana", "leave"),
        one("boss", "Bo"),
        news("manager", "replace"),
        one("boss", "Cy"),
    ],
    "a mended name": [
        one("colleague", "Anna"),
        replace(claim("Hanna", predicate="colleague", mode="correct", single_valued=False), wrong="Anna"),
    ],
}
"""Claims in order, a day apart, by story."""


@dataclass(frozen=True)
class Shuffled:
    """Claims in the order of their times, and the order in which they arrive."""

    claims: Sequence[Claim]
    arrival: Sequence[int]


def told(claims: Sequence[Claim], arrival: Sequence[int]) -> Ledger:
    """Return the ledger after *claims*, each of its own day, which arrive in this order."""
    ledger = Ledger(predicates=WORLD)
    for position, day in enumerate(arrival, 1):
        ledger.tell_by_time([placed(claims[day], day=day, position=position)])
    return ledger


def believed(ledger: Ledger) -> set[tuple[object, ...]]:
    """Return the beliefs about every day, and the reviews."""
    days = {
        (version.key, day)
        for version in ledger.held()
        for day in range(12)
        if version.valid.covers(placed(claim(), day=day, position=1).valid_from)
    }
    named = {version.fact: version.key for version in ledger.held()}
    asked = {
        (
            "asked",
            row.decision.original_claim and row.decision.original_claim.object,
            frozenset(named.get(f) for f in row.decision.among),
        )
        for row in ledger.reviews.values()
    }
    return days | asked


@pytest.mark.parametrize("story", STORIES)
def test_a_claim_that_arrives_last_leaves_the_same_beliefs_as_in_time(story: str) -> None:
    claims = STORIES[story]
    timely = believed(told(claims, range(len(claims))))

    for late in range(len(claims)):
        order = [day for day in range(len(claims)) if day != late] + [late]
        assert (late, believed(told(claims, order))) == (late, timely)


@st.composite
def shuffled(draw: st.DrawFn) -> Shuffled:
    """Return one story or two, mixed, in any order of arrival."""
    of = draw(st.lists(st.sampled_from(sorted(STORIES)), min_size=1, max_size=2, unique=True))
    first, *rest = ([*STORIES[story]] for story in of)
    for claims in rest:
        for one in claims:
            first.insert(draw(st.integers(0, len(first))), one)
    return Shuffled(first, draw(st.permutations(range(len(first)))))


@given(shuffled())
def test_any_arrival_order_leaves_the_same_beliefs_as_the_order_of_time(history: Shuffled) -> None:
    assert believed(told(history.claims, history.arrival)) == believed(told(history.claims, range(len(history.claims))))


@given(shuffled())
def test_the_ledger_folds_to_the_held_facts_in_any_arrival_order(history: Shuffled) -> None:
    ledger = told(history.claims, history.arrival)

    assert rebuilt([row.decision for row in ledger.rows]) == outlines(ledger.held())
