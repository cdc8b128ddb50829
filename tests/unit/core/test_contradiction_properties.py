"""The held belief is the same choice among claims, in any order of arrival and any windows."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.beliefs.identity import normal
from slowwave.core.contradiction import sure
from slowwave.core.fold import Decision, Fold
from slowwave.core.predicates import Policy, Predicate, Predicates
from slowwave.domain.claim import Claim
from tests.unit.core.histories import DAY, NOON, claim, decided, held

OBJECTS = st.sampled_from(["Oslo", "oslo ", "Lisbon", "Rome"])
CONFIDENCES = st.sampled_from([0.5, 0.7, 0.85, 0.95])
DAYS = range(9)


def registry(policy: Policy) -> Predicates:
    """Return a registry in which homes, likes and dislikes follow *policy*."""
    return Predicates([
        Predicate("lives_in", single_valued=True, policy=policy),
        Predicate("likes", opposites=("dislikes",), policy=policy),
        Predicate("dislikes", opposites=("likes",), policy=policy),
    ])  # fmt: skip


@st.composite
def homes(draw: st.DrawFn) -> list[Claim]:
    """Return open claims about one home in order of position, with valid times in any order."""
    told = draw(st.lists(st.tuples(OBJECTS, st.integers(0, 6), CONFIDENCES), min_size=1, max_size=9))
    return [claim(said, day=day, position=at, confidence=much) for at, (said, day, much) in enumerate(told, 1)]


@st.composite
def tastes(draw: st.DrawFn) -> list[Claim]:
    """Return open claims about likes and dislikes of a few things."""
    told = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["tea", "coffee"]), st.sampled_from(["likes", "dislikes"]), st.integers(0, 6),
                CONFIDENCES,
            ),
            min_size=1, max_size=9,
        )
    )  # fmt: skip
    return [
        claim(said, predicate=verb, day=day, position=at, confidence=much)
        for at, (said, verb, day, much) in enumerate(told, 1)
    ]


def newest(claims: list[Claim]) -> Claim:
    return max(claims, key=lambda one: (one.valid_from, one.source.position))


def oldest(claims: list[Claim]) -> Claim:
    return min(claims, key=lambda one: (one.valid_from, one.source.position))


def surest(claims: list[Claim]) -> Claim:
    return max(claims, key=lambda one: (sure(one.confidence), one.valid_from, one.source.position))


CHOICES: dict[Policy, Callable[[list[Claim]], Claim]] = {
    "prefer_new": newest,
    "prefer_old": oldest,
    "prefer_surer": surest,
}


def chosen(policy: Policy, claims: list[Claim], day: int, value: Callable[[Any], str]) -> set[str]:
    """Return the value that *policy* chooses for a day among the claims that had begun by then."""
    begun = [one for one in claims if one.valid_from <= NOON + day * DAY]
    return {value(CHOICES[policy](begun))} if begun else set()


def place(told: Any) -> str:
    return normal(told.object)


def verdict(told: Any) -> str:
    return str(told.predicate)


@pytest.mark.parametrize("policy", CHOICES)
@given(homes())
def test_the_policy_chooses_the_one_home_of_each_time(policy: Policy, claims: list[Claim]) -> None:
    fold, _ = decided(claims, Fold(predicates=registry(policy)))

    for day in DAYS:
        believed = {place(version) for version in fold.believed(NOON + day * DAY)}
        assert believed == chosen(policy, claims, day, place)


@pytest.mark.parametrize("policy", CHOICES)
@given(tastes())
def test_the_policy_chooses_one_of_two_opposites_for_each_time(policy: Policy, claims: list[Claim]) -> None:
    fold, _ = decided(claims, Fold(predicates=registry(policy)))

    for day in DAYS:
        for thing in ("tea", "coffee"):
            believed = {verdict(v) for v in fold.believed(NOON + day * DAY) if v.object == thing}
            about = [one for one in claims if one.object == thing]
            assert believed == chosen(policy, about, day, verdict)


@pytest.mark.parametrize("policy", CHOICES)
@given(st.permutations(range(6)), st.lists(CONFIDENCES, min_size=6, max_size=6))
def test_the_arrival_order_of_claims_about_different_times_does_not_matter(
    policy: Policy, order: list[int], confidences: list[float]
) -> None:
    def told(days: list[int]) -> Fold:
        moves = [
            claim(f"city {day % 3}", day=day, position=at, confidence=confidences[day])
            for at, day in enumerate(days, 1)
        ]
        return decided(moves, Fold(predicates=registry(policy)))[0]

    late, timely = told(order), told(sorted(order))

    for day in DAYS:
        at = NOON + day * DAY
        assert {place(version) for version in late.believed(at)} == {place(version) for version in timely.believed(at)}


@given(homes())
def test_a_pending_review_keeps_the_first_claim(claims: list[Claim]) -> None:
    fold, decisions = decided(claims, Fold(predicates=registry("flag_review")))

    first = normal(claims[0].object)
    assert {place(version) for version in held(fold)} == {first}
    assert [decision.kind == "review" for decision in decisions] == [place(one) != first for one in claims]
    reviewed = [decision for decision in decisions if decision.kind == "review"]
    assert all(decision.among for decision in reviewed)
    assert {fact for decision in reviewed for fact in decision.among} <= {version.fact for version in held(fold)}


@given(homes() | tastes(), st.sampled_from([*CHOICES, "flag_review"]), st.integers(1, 8))
def test_a_later_run_from_the_ledger_decides_the_same(claims: list[Claim], policy: Policy, cut: int) -> None:
    predicates = registry(policy)
    whole, decisions = decided(claims, Fold(predicates=predicates))

    before, made = decided(claims[:cut], Fold(predicates=predicates))
    later = Fold(predicates=predicates, confirmed=bounds_of(made))
    later.hold(held(before))
    after, more = decided(claims[cut:], later)

    assert held(after) == held(whole)
    assert [(d.id, d.kind, d.valid, d.replaces) for d in (*made, *more)] == [
        (d.id, d.kind, d.valid, d.replaces) for d in decisions
    ]


def bounds_of(decisions: list[Decision]) -> dict[Any, list[Any]]:
    """Return the times at which facts were confirmed, from the ledger: noops about a fact, with a time."""
    found: dict[Any, list[Any]] = {}
    for decision in decisions:
        if decision.kind == "noop" and decision.about and decision.valid:
            found.setdefault(decision.about, []).append(decision.valid.start)
    return found


def test_periods_of_opposites_follow_without_a_gap() -> None:
    verbs = [("likes", 0), ("dislikes", 3), ("likes", 5)]
    fold, _ = decided(
        [claim("tea", predicate=verb, day=day, position=at) for at, (verb, day) in enumerate(verbs, 1)],
        Fold(predicates=registry("prefer_surer")),
    )

    spans = sorted(version.valid for version in held(fold))
    assert all(before.end == after.start for before, after in pairwise(spans))
