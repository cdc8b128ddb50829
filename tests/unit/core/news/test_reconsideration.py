"""Reconsideration compares new facts with earlier ones: ended, denied, or repeated."""

import uuid
from dataclasses import replace

import pytest

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.reconsideration import Ending, Verdict, pairs_to_compare, verdicts
from slowwave.core.contradiction.words import words_of
from slowwave.core.fold import Version
from slowwave.core.time_spans import Span
from slowwave.rules.predicates import load_predicates, merged
from tests.unit.core.histories import DAY, NOON, statement, version
from tests.unit.tables import table

ROWS = table(__file__)


MATTERS = Matters(merged(load_predicates()))


def stated(text: str, *, position: int, subject: str = "Kofi") -> Version:
    return statement(text, subject=subject, day=position, position=position)


def judged(news: Version, *beliefs: Version, meaning: float = 0.8, common: tuple[str, ...] = ()) -> list[Verdict]:
    near = dict.fromkeys(pairs_to_compare([news], beliefs, MATTERS, common), meaning)
    return list(verdicts([news], beliefs, near, MATTERS, common=common))


FLAKY = stated("Kofi is driven crazy by the flaky invoice rounding", position=1)
FIXED = stated("Kofi fixed the invoice rounding", position=2)


def test_news_told_with_a_word_of_change_ends_the_nearest_belief() -> None:
    other = stated("Kofi is reading about invoice law", position=1)

    assert judged(FIXED, FLAKY, other) == [Verdict(FIXED, "ended", (FLAKY,))]


@pytest.mark.parametrize(
    ("news", "belief", "meaning"),
    [
        (stated("Kofi looked at the invoice rounding", position=2), FLAKY, 0.8),
        (stated("Kofi might have fixed the invoice rounding", position=2), FLAKY, 0.8),
        (stated("Kofi has not fixed the invoice rounding", position=2), FLAKY, 0.8),
        (replace(FIXED, tense="future"), FLAKY, 0.8),
        (FIXED, FLAKY, 0.5),
        (stated("Kofi fixed the rounding", position=2), FLAKY, 0.65),
        (FIXED, replace(FLAKY, position=3), 0.8),
        (FIXED, replace(FLAKY, tense="past"), 0.8),
        (FIXED, stated("Wei is driven crazy by the flaky invoice rounding", position=1, subject="Wei"), 0.8),
        (FIXED, replace(FLAKY, valid=Span(NOON, NOON + DAY)), 0.8),
    ],
    ids=["no-change", "unreal", "denied", "future", "far", "one-word", "later", "past", "of-another", "over-by-then"],
)
def test_news_leaves_unrelated_beliefs_unchanged(news: Version, belief: Version, meaning: float) -> None:
    assert judged(news, belief, meaning=meaning) == []


def test_two_equally_near_beliefs_leave_the_choice_to_a_person() -> None:
    twin = stated("Kofi is worried about the invoice rounding", position=1)

    assert judged(FIXED, FLAKY, twin) == [Verdict(FIXED, "unsure", (FLAKY, twin))]


def test_common_words_identify_no_belief() -> None:
    assert judged(FIXED, FLAKY, common=("invoic", "round")) == []


def test_the_same_words_in_another_order_are_a_repetition() -> None:
    first, second = stated("On Mondays Kofi swims", position=1), stated("Kofi swims on Mondays", position=2)

    assert judged(second, first, meaning=0.97) == [Verdict(second, "same", (first,))]


def test_another_number_or_subject_is_not_a_repetition() -> None:
    first = stated("Kofi runs 5 miles along the harbour with Wei each dawn", position=1)

    number = stated("Kofi runs 6 miles along the harbour with Wei each dawn", position=2)
    subject = stated(first.text, position=2, subject="Wei")
    assert judged(number, first, meaning=0.99) == judged(subject, first, meaning=0.99) == []


def test_beliefs_are_compared_by_meaning_only_with_news_of_a_change_or_in_nearly_the_same_words() -> None:
    beside = stated("Kofi looked at the invoice rounding with Wei", position=1)
    looked = stated("Kofi looked at the invoice rounding", position=2)

    assert pairs_to_compare([looked], [FLAKY, beside], MATTERS, ()) == {(looked.fact, beside.fact)}
    assert pairs_to_compare([FIXED], [FLAKY, beside], MATTERS, ()) == {
        (FIXED.fact, FLAKY.fact),
        (FIXED.fact, beside.fact),
    }
    assert pairs_to_compare([FIXED], [FLAKY], MATTERS, words_of(FIXED.text)) == set()


def test_a_denial_in_the_same_words_contradicts_the_older_belief() -> None:
    first, second = stated("Kofi is a vegetarian", position=1), stated("Kofi is not a vegetarian", position=2)

    assert judged(second, first, meaning=0.95) == [Verdict(second, "contradicted", (first,))]


@pytest.mark.parametrize(
    ("news", "belief", "verdict"), ROWS["news_ends_a_belief_that_has_all_words_of_its_thing_and_no_other"]
)
def test_news_ends_a_belief_that_has_all_words_of_its_thing_and_no_other(
    news: str, belief: str, verdict: list[str]
) -> None:
    assert [one.kind for one in judged(stated(news, position=2), stated(belief, position=1))] == verdict


def test_news_of_a_part_ends_no_whole_belief() -> None:
    both = stated("Kofi teaches yoga on Mondays and Thursdays", position=1)
    monday = stated("Kofi no longer teaches yoga on Mondays", position=2)
    quit_ = stated("Kofi quit teaching yoga on Thursdays", position=2)

    assert judged(monday, both, meaning=0.95) == judged(quit_, both, meaning=0.95) == []


def lives_in(place: str, *, position: int, subject: str = "Kofi") -> Version:
    text = f"{subject} lives in {place}"
    return version(place, subject=subject, text=text, day=position, position=position, single_valued=True)


PARENTS = stated("Kofi lives with his parents in Leeds", position=1)
LEEDS = lives_in("Leeds", position=1)
MOVED = lives_in("York", position=2)


def test_replaced_value_ends_statements_that_repeat_it() -> None:
    both = stated("Kofi still lives in Leeds near the station", position=1)

    found = list(verdicts([MOVED], [PARENTS, both], {}, MATTERS, endings=[Ending(MOVED, LEEDS)]))

    assert found == [Verdict(MOVED, "ended", (PARENTS,)), Verdict(MOVED, "ended", (both,))]


def test_replaced_value_ends_a_taste_that_repeats_it() -> None:
    dislikes = replace(LEEDS, fact=uuid.UUID(int=9), predicate="dislikes", object="living in Leeds", text="")
    place = replace(dislikes, object="Leeds")

    for taste, ends in ((dislikes, [dislikes]), (place, [])):
        found = verdicts([MOVED], [taste], {}, MATTERS, endings=[Ending(MOVED, LEEDS)])
        assert [belief for verdict in found for belief in verdict.beliefs] == ends


@pytest.mark.parametrize(
    ("belief", "earlier"),
    [
        (stated("Kofi plays football in Leeds", position=1), LEEDS),
        (stated("Kofi lives with his parents", position=1), LEEDS),
        (stated("Kofi lives half in Leeds and half in York", position=1), LEEDS),
        (stated("Kofi's brother lives in Leeds near the station", position=1), LEEDS),
        (stated("Wei lives with Kofi in Leeds", position=1, subject="Wei"), LEEDS),
        (replace(PARENTS, tense="past"), LEEDS),
        (replace(PARENTS, position=3), LEEDS),
        (LEEDS, LEEDS),
        (PARENTS, lives_in("Hull", position=1)),
        (PARENTS, lives_in("", position=1)),
    ],
    ids=[
        "other-verb",
        "no-value",
        "new-value-too",
        "relative",
        "other-subject",
        "past",
        "later",
        "typed",
        "other-value",
        "no-words",
    ],
)
def test_replaced_value_leaves_other_beliefs(belief: Version, earlier: Version) -> None:
    assert list(verdicts([MOVED], [belief], {}, MATTERS, endings=[Ending(MOVED, earlier)])) == []


def test_ended_belief_ends_statements_that_repeat_it() -> None:
    over = replace(MOVED, object="", text="")

    assert list(verdicts([], [PARENTS], {}, MATTERS, endings=[Ending(over, LEEDS)])) == [
        Verdict(over, "ended", (PARENTS,))
    ]


def test_news_ends_a_late_earlier_belief_and_no_later_one() -> None:
    late, after = replace(FLAKY, position=3), replace(FIXED, position=4)
    near = {(FIXED.fact, late.fact): 0.8}
    days = {2: NOON + 2 * DAY, 3: NOON, 4: NOON + 3 * DAY}

    assert list(verdicts([FIXED], [late], near, MATTERS)) == []
    assert list(verdicts([FIXED], [late], near, MATTERS, occurred=days)) == [Verdict(FIXED, "ended", (late,))]
    assert list(verdicts([FIXED], [after], {(FIXED.fact, after.fact): 1.0}, MATTERS, occurred=days)) == []


def test_a_belief_is_ended_once() -> None:
    again = stated("Kofi finally fixed the invoice rounding", position=3)
    near = {(news.fact, FLAKY.fact): 0.8 for news in (FIXED, again)}

    assert [one.news for one in verdicts([again, FIXED], [FLAKY], near, MATTERS)] == [FIXED]
