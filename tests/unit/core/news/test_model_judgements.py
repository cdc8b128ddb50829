"""Judgements of a model on beliefs: accepted, left to a person, or refused with a reason."""

from dataclasses import replace

import pytest

from slowwave.core.contradiction.matters import Matters
from slowwave.core.contradiction.model_judgements import ModelJudgement, QuotedTurn, WeighedJudgement, nearness, weighed
from slowwave.core.fold import Version
from slowwave.core.predicates import PLAIN
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Source
from tests.unit.core.histories import DAY, NOON, statement
from tests.unit.rules.rulepacks import episode

MATTERS = Matters(PLAIN)
OFF = "The doctor took me off the metformin."


def stated(text: str, *, position: int = 1, subject: str = "Kofi") -> Version:
    return statement(text, verb="takes", subject=subject, day=position, position=position)


def spoken(content: str, *news: Version, position: int = 5) -> QuotedTurn:
    turn = episode(content, number=position, occurred=NOON + position * DAY, metadata={"speaker": "Kofi"})
    return QuotedTurn(turn, 0, len(content), news)


def judged(
    words: str, said: QuotedTurn, *beliefs: Version, kind: str = "ended", sure: bool = True, alike: float = 0.0
) -> WeighedJudgement:
    """Return the result of a model's verdict on the first of *beliefs*, which quotes *words* of *said*."""
    at = said.episode.content.index(words)
    source = Source(said.episode.id, said.episode.key, said.position, at, at + len(words))
    one = ModelJudgement(kind, beliefs[0].fact, said.position, source, sure)  # type: ignore[arg-type]  # as parametrized
    meaning = {(news.fact, beliefs[0].fact): alike for news in said.news}
    (outcome,) = weighed([one], {said.position: said}, {v.fact: v for v in beliefs}, meaning, MATTERS)
    return outcome


TAKES = stated("Kofi takes metformin")
LEARNED = stated("The doctor took Kofi off the metformin", position=5, subject="The doctor")


def test_the_belief_that_the_words_are_about_ends() -> None:
    outcome = judged("off the metformin", spoken(OFF, LEARNED), TAKES)

    assert (outcome.kind, outcome.beliefs) == ("ended", (TAKES,))


@pytest.mark.parametrize(
    ("belief", "reason"),
    [
        (stated("Kofi drives a Honda"), "the words have nothing to do with it"),
        (stated("Wei takes metformin", subject="Wei"), "the words are about somebody else"),
        (replace(TAKES, position=6), "it did not hold when the words were said"),
        (replace(TAKES, valid=Span(NOON, NOON + DAY)), "it did not hold when the words were said"),
        (replace(TAKES, tense="past"), "it is permanent, or had ended"),
    ],
    ids=["unrelated", "of-another", "told-after", "over-by-then", "past"],
)
def test_a_belief_that_the_words_are_not_about_stays(belief: Version, reason: str) -> None:
    assert judged("off the metformin", spoken(OFF, LEARNED), belief).refused == reason


@pytest.mark.parametrize(
    "content",
    [
        "The doctor might take me off the metformin.",
        "Will the doctor take me off the metformin?",
        "If the doctor took me off the metformin, I would cheer.",
        "I'm going to quit the metformin.",
    ],
)
def test_conditional_words_leave_the_judgement_to_a_person(content: str) -> None:
    assert judged("the metformin", spoken(content), TAKES).kind == "unsure"


def test_a_future_claim_or_a_model_that_is_not_sure_leaves_the_judgement_to_a_person() -> None:
    ahead = spoken(OFF, replace(LEARNED, tense="future"))

    assert judged("off the metformin", ahead, TAKES).kind == "unsure"
    assert judged("off the metformin", spoken(OFF, LEARNED), TAKES, sure=False).kind == "unsure"


def test_words_as_near_to_another_belief_become_a_review_of_both() -> None:
    nearer = stated("Kofi keeps the metformin in the green drawer")
    said = spoken("I emptied the green drawer of metformin")
    outcome = judged("green drawer of metformin", said, TAKES, nearer)

    assert (outcome.kind, outcome.beliefs) == ("unsure", (TAKES, nearer))
    assert judged("green drawer of metformin", said, nearer, TAKES).kind == "ended"


def test_words_similar_only_in_meaning_leave_the_judgement_to_a_person() -> None:
    said = spoken("I hung up my stethoscope", stated("Kofi hung up their stethoscope", position=5))
    belief = stated("Kofi is a surgeon")

    assert judged("hung up my stethoscope", said, belief, alike=0.7).kind == "unsure"
    assert judged("hung up my stethoscope", said, belief, alike=0.3).refused == "the words have nothing to do with it"


def test_cited_words_are_interpreted_within_their_sentence() -> None:
    said = spoken("I might sell the boat. The metformin is history.")

    assert judged("is history", said, TAKES).kind == "ended"


def test_a_belief_is_judged_once() -> None:
    said = spoken(OFF, LEARNED)
    source = Source(said.episode.id, said.episode.key, 5, 0, len(OFF))
    twice = [ModelJudgement("ended", TAKES.fact, 5, source)] * 2

    found = weighed(twice, {5: said}, {TAKES.fact: TAKES}, {}, MATTERS)
    assert [one.refused for one in found] == ["", "it is judged already"]


def test_a_belief_that_is_gone_is_refused() -> None:
    said = spoken(OFF, LEARNED)
    one = ModelJudgement("ended", TAKES.fact, 5, Source(said.episode.id, said.episode.key, 5, 0, len(OFF)))

    assert weighed([one], {5: said}, {}, {}, MATTERS)[0].refused == "it is not believed any more"


def test_only_a_fact_that_adds_nothing_repeats_a_belief() -> None:
    first = stated("Kofi swims at the harbour pool on Mondays")
    shorter = stated("Kofi swims at the pool on Mondays", position=5)
    longer = stated("Kofi swims at the harbour pool on Mondays with Wei", position=5)
    other = stated("Kofi swims at the harbour pool on 2 Mondays", position=5)

    assert judged("pool", spoken("I swim at the pool on Mondays", shorter), first, kind="same").repeats == shorter
    for news in (longer, other):
        refused = judged("pool", spoken("I swim at the pool on Mondays", news), first, kind="same").refused
        assert refused == "the words also say something else"


def test_the_judge_is_asked_only_about_changeable_beliefs_with_shared_words() -> None:
    said = spoken(OFF, LEARNED)
    beliefs = [
        TAKES, stated("Wei takes metformin", subject="Wei"), stated("Kofi drives a Honda"),
        replace(stated("Kofi took metformin once"), tense="past"), stated("Kofi takes metformin daily", position=6),
    ]  # fmt: skip

    assert list(nearness([said], beliefs, {}, MATTERS)) == [(5, TAKES.fact)]
    assert nearness([said], beliefs, {}, MATTERS, common=["metformin"]) == {}


def test_a_postponed_plan_ends_though_its_new_date_is_in_the_future() -> None:
    plan = replace(stated("Kofi has the dentist on 14 September 2026"), tense="future")
    new = replace(stated("Kofi has the dentist on 21 September 2026", position=5), tense="future")
    said = spoken("I had to move the dentist to the 21st", new)

    assert judged("move the dentist to the 21st", said, plan).kind == "ended"


def test_a_fact_learned_from_the_cited_words_does_not_count_as_a_nearer_belief() -> None:
    learned = stated("Kofi takes metformin 10 mg since the doctor doubled it", position=5)
    said = spoken("The doctor doubled my metformin, it is 10 mg now", learned)

    assert judged("doubled my metformin, it is 10 mg", said, TAKES, learned).kind == "ended"


DICTATES = stated("Kofi dictates letters because of the broken wrist")
CAST = stated("Kofi wears a cast on the broken wrist")
CAST_OFF = replace(spoken("The cast is off!"), ended=(CAST,))


def test_a_belief_is_near_a_turn_that_ended_a_fact_with_shared_words() -> None:
    assert (5, DICTATES.fact) in nearness([CAST_OFF], [DICTATES], {}, MATTERS)
    assert not nearness([replace(CAST_OFF, ended=())], [DICTATES], {}, MATTERS)


def test_a_belief_ends_with_the_fact_on_which_it_rested() -> None:
    assert judged("cast is off", CAST_OFF, DICTATES).kind == "ended"
    alone = replace(CAST_OFF, ended=())
    assert judged("cast is off", alone, DICTATES).refused == "the words have nothing to do with it"
