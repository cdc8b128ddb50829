"""Properties of every history with news: any windows, late claims, any ended beliefs."""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reported_changes import head, is_news
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Fold
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim
from tests.unit.core.histories import DAY, NOON, decided, held
from tests.unit.core.news.happenings import EFFECTS, MATTERS, happenings, news, stated


@given(happenings(), st.integers(0, 11), st.integers(1, 6))
def test_a_later_claim_about_the_past_does_not_reopen_a_belief_that_news_ended(
    claims: list[Claim], number: int, days: int
) -> None:
    fold, decisions = decided(claims, Fold(predicates=MATTERS))
    ends = [
        d
        for d in decisions
        if d.kind == "delete" and d.original_claim and is_news(d.original_claim) and d.original_claim.effect != "change"
    ]
    if not ends:
        return
    end = ends[number % len(ends)]
    assert end.original_claim
    before = {(v.key, v.valid.end) for v in held(fold)}
    told = replace(
        end.claim, mode="assert", effect="", valid_from=end.original_claim.valid_from - days * DAY,
        source=replace(end.claim.source, position=99, episode=end.id),
    )  # fmt: skip

    made = fold.decide(told)

    assert all(decision.kind != "review" for decision in made)
    for version in (version for decision in made for version in decision.opens):
        assert version.valid.end <= end.original_claim.valid_from or (version.key, version.valid.end) in before


@given(happenings())
def test_news_ends_only_earlier_open_changeable_beliefs(claims: list[Claim]) -> None:
    _, decisions = decided(claims, Fold(predicates=MATTERS))

    for decision in decisions:
        if decision.original_claim is None or not decision.original_claim.effect:
            continue
        assert decision.kind in ("delete", "noop", "review")
        for version in decision.closes:
            assert version.position < decision.original_claim.source.position
            assert version.valid.end > decision.original_claim.valid_from
            assert not (version.form == "typed" and MATTERS.of(version.predicate).lasts)


@given(happenings())
def test_the_words_of_news_find_each_belief_that_it_ends(claims: list[Claim]) -> None:
    matters = Matters(MATTERS)
    _, decisions = decided(claims, Fold(predicates=MATTERS))

    for decision in decisions:
        if decision.kind == "delete" and decision.original_claim and is_news(decision.original_claim):
            sought = matters.named(matters_of(decision.original_claim))
            assert all(sought & matters.words(version) for version in decision.closes)


def matters_of(news: Claim) -> list[str]:
    """Return the stems by which the store finds the beliefs that *news* may change."""
    return list(words_of(news.object)) if news.effect == "change" else [head(news)]


def test_the_generated_histories_contain_news_of_each_effect() -> None:
    seen: set[str] = set()

    @settings(max_examples=2000, derandomize=True, database=None, phases=[Phase.generate])
    @given(happenings())
    def look(claims: list[Claim]) -> None:
        _, decisions = decided(claims, Fold(predicates=MATTERS))
        seen.update(d.original_claim.effect for d in decisions if d.kind == "delete" and d.original_claim)
        seen.update(d.kind for d in decisions if d.original_claim and d.original_claim.effect)
        if seen >= {*EFFECTS, "delete", "noop"}:
            raise StopIteration

    with pytest.raises(StopIteration):
        look()


def test_news_ends_a_plan_in_two_periods_once() -> None:
    plan = stated("The user will visit Rome", verb="visit", tense="future", day=6)
    fold, _ = decided([plan], Fold(predicates=MATTERS))
    (version,) = held(fold)
    fold.active[version.key] = [
        replace(version, valid=span) for span in version.valid.without(Span(NOON + 8 * DAY, NOON + 9 * DAY))
    ]

    (end,) = fold.decide(news("visit Rome", "fulfil", day=2))

    assert (end.kind, len(end.closes), held(fold)) == ("delete", 2, set())
