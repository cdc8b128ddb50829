"""Properties of every history of claims, in any windows and any order of arrival or of valid times."""

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core import ledger
from slowwave.core.beliefs.identity import normal
from slowwave.core.contradiction import sure
from slowwave.core.fold import Decision, Fold
from slowwave.core.predicates import Policy, Predicate, Predicates
from slowwave.domain.claim import Claim, StatedMode
from tests.unit.core.histories import (
    DAY,
    FORMS,
    NOON,
    REGISTERED,
    believed,
    claim,
    decided,
    entries,
    held,
    histories,
    outlines,
    rebuilt,
    reloaded,
    verdicts,
    windows,
)
from tests.unit.core.news.happenings import MATTERS, happenings

ASSERTIONS: st.SearchStrategy[StatedMode] = st.just("assert")
KINDS = {"claims": (histories(), REGISTERED), "claims and news": (happenings(), MATTERS)}


@pytest.mark.parametrize("kind", KINDS)
@given(st.data(), st.integers(0, 99))
def test_any_split_into_windows_gives_the_same_beliefs_and_decisions(kind: str, data: st.DataObject, seed: int) -> None:
    told, predicates = KINDS[kind]
    claims = data.draw(told)
    whole, decisions = decided(claims, Fold(predicates=predicates))

    fold, pieces = Fold(predicates=predicates), []
    for window in data.draw(windows(claims)):
        fold, made = decided(window, reloaded(fold, seed))
        pieces += made

    assert held(fold) == held(whole)
    assert {print_: sorted(ends) for print_, ends in fold.ends.items()} == {
        print_: sorted(ends) for print_, ends in whole.ends.items()
    }
    assert fold.forgotten == whole.forgotten
    assert verdicts(pieces) == verdicts(decisions)
    assert {(v.fact, v.valid, v.ended_by) for v in held(fold)} == {(v.fact, v.valid, v.ended_by) for v in held(whole)}


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_the_ledger_folds_to_the_facts_and_each_decision_has_a_repeatable_id(kind: str, data: st.DataObject) -> None:
    told, predicates = KINDS[kind]
    claims = data.draw(told)
    fold, once = decided(claims, Fold(predicates=predicates))
    _, again = decided(claims, Fold(predicates=predicates))

    assert rebuilt(once) == outlines(held(fold))
    assert len({decision.id for decision in once}) == len(once)
    assert once == again


@given(histories())
def test_no_two_versions_of_one_belief_overlap(claims: list[Claim]) -> None:
    fold = Fold(predicates=REGISTERED)

    for each in claims:
        fold.decide(each)
        for key, versions in fold.active.items():
            assert all(version.key == key for version in versions)
            assert not any(one.valid.overlaps(other.valid) for one, other in combinations(versions, 2))


@given(histories())
def test_the_ledger_opens_and_closes_the_versions_of_the_decisions(claims: list[Claim]) -> None:
    _, decisions = decided(claims)
    written = [decision for decision in decisions if decision.kind != "review"]
    rows = entries(decisions)

    beliefs = ledger.fold(rows)

    for decision, row in zip(written, rows, strict=True):
        assert {(b.fact, b.valid) for b in beliefs if b.closed == row.recorded} == {
            (v.fact, v.valid) for v in decision.closes
        }
        assert {(b.fact, b.valid) for b in beliefs if b.opened == row.recorded} == {
            (v.fact, v.valid) for v in decision.opens
        }


@given(histories())
def test_a_forgotten_fact_never_returns(claims: list[Claim]) -> None:
    fold, gone = Fold(predicates=REGISTERED), set[tuple[str, str, str, str]]()

    for each in claims:
        for decision in fold.decide(each):
            if each.mode == "forget":
                gone |= {(normal(v.subject), v.form, v.predicate, normal(v.object)) for v in decision.closes}
        assert gone.isdisjoint((normal(v.subject), v.form, v.predicate, normal(v.object)) for v in held(fold))


@given(histories())
def test_noop_and_review_change_nothing_and_other_kinds_name_the_replaced_facts(claims: list[Claim]) -> None:
    _, decisions = decided(claims)

    for decision in decisions:
        match decision.kind:
            case "noop" | "review":
                assert (decision.closes, decision.opens, decision.replaces) == ((), (), ())
            case "add":
                assert (decision.closes, decision.replaces) == ((), ())
                assert [(v.fact, v.valid) for v in decision.opens] == [(decision.id, decision.valid)]
            case "update":
                assert {v.fact for v in decision.closes} == set(decision.replaces)
                assert decision.opens[0].fact == decision.id
            case "delete":
                assert decision.closes
                assert {v.fact for v in decision.closes} == set(decision.replaces) == {decision.about}
                assert {v.fact for v in decision.opens} <= set(decision.replaces)


@given(histories(modes=ASSERTIONS), st.integers(0, 6), st.sampled_from(["lives_in", "likes"]))
def test_a_late_old_claim_does_not_undo_later_claims(claims: list[Claim], day: int, predicate: str) -> None:
    claims = [each for each in claims if each.form == "typed" and not REGISTERED.of(each.predicate).ends]
    fold, decisions = decided(claims)
    late = claim("Bergen", predicate=predicate, day=day, position=999, confidence=0.5)
    later = [
        d.valid.start
        for d in decisions
        if d.valid and (d.claim.mode, d.claim.predicate) == ("assert", predicate) and d.valid.start > late.valid_from
    ]
    before = {at: {*believed(fold, at, predicate)} for at in range(10) if later and NOON + at * DAY >= min(later)}

    fold.decide(late)

    lost = {at: objects.difference(believed(fold, at, predicate)) for at, objects in before.items()}
    assert not any(lost.values())
    if predicate == "lives_in":
        assert {at: {*believed(fold, at, predicate)} for at in before} == before


@given(st.permutations(range(6)))
def test_moves_told_in_any_order_give_the_same_history(order: list[int]) -> None:
    moves = [claim(f"city {day}", day=day, position=position) for position, day in enumerate(order, 1)]

    fold, _ = decided(moves)

    homes = sorted(held(fold), key=lambda version: version.valid)
    assert [(v.object, v.valid.start) for v in homes] == [(f"city {day}", NOON + day * DAY) for day in range(6)]
    assert all(before.valid.end == after.valid.start for before, after in pairwise(homes))


@given(histories())
def test_typed_facts_and_statements_are_decided_independently(claims: list[Claim]) -> None:
    together, _ = decided(claims)

    apart = [decided([each for each in claims if each.form == form])[0] for form in FORMS]

    assert held(together) == held(apart[0]) | held(apart[1])


@given(histories())
def test_an_asserted_statement_replaces_nothing_and_an_end_only_ends(claims: list[Claim]) -> None:
    _, decisions = decided(claims)

    of_statements = [decision for decision in decisions if decision.claim.form == "statement"]
    assert {d.kind for d in of_statements if d.claim.mode == "assert"} <= {"add", "noop"}
    assert {d.kind for d in of_statements if d.claim.mode == "end"} <= {"delete", "noop"}


def test_the_generated_histories_contain_each_mode_and_form() -> None:
    seen: set[str] = set()

    @given(histories())
    def look(claims: list[Claim]) -> None:
        seen.update(each.mode for each in claims)
        seen.update(each.form for each in claims)

    look()

    assert seen == {*get_args(StatedMode), *FORMS}


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
