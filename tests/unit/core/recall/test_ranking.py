"""Ranking of the memories that may answer a question."""

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.adjustments import salient_memory
from slowwave.core.recall.candidate import Candidate, Ranked, is_named
from slowwave.core.recall.candidates import Candidates
from slowwave.core.recall.ranking import rank as rank_columns
from slowwave.core.recall.ranking import recency
from slowwave.core.recall.scoring import Contiguity, Scoring, Weights
from slowwave.core.salience.terms import Salience
from slowwave.domain.claim import Source
from slowwave.retrieval.salience import saliences
from tests.unit.tables import table

ROWS = table(__file__)


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOW = NOON + timedelta(days=1)
SCOPE = uuid.UUID(int=1)


def episode(
    position: int, *, similarity: float = 0.1, keyword: float = 0.0, seconds: float | None = None, **fields: Any
) -> Candidate:
    """An episode with these *fields*, an hour after the one before unless *seconds* after noon are given."""
    occurred = NOON + timedelta(seconds=3600 * position if seconds is None else seconds)
    id_ = uuid.UUID(int=1000 + position)
    one = Candidate(
        kind="episode",
        id=id_,
        scope=SCOPE,
        position=position,
        session="s1",
        occurred=occurred,
        received=occurred,
        age=NOW - occurred,
        speaker=None,
        similarity=similarity,
        keyword=keyword,
        sources=(Source(id_, f"e{position}", position, 0, 0),),
    )
    return replace(one, **fields)


def fact(number: int, of: Sequence[Candidate], *, similarity: float = 0.1, keyword: float = 0.0) -> Candidate:
    """A fact drawn from episodes."""
    return replace(
        of[0],
        kind="fact",
        id=uuid.UUID(int=5000 + number),
        similarity=similarity,
        keyword=keyword,
        sources=tuple(source for one in of for source in one.sources),
        text="Alice lives in Oslo",
        confidence=0.9,
    )


def columns(candidates: Sequence[Candidate]) -> Candidates:
    """*candidates* as columns, for a question of five words."""
    return Candidates.of(candidates, 5)


def rank(
    candidates: Sequence[Candidate], question: str, *, worded: Mapping[uuid.UUID, float] | None = None, **how: Any
) -> list[Ranked]:
    """Rank *candidates*; *worded* has the similarity of facts word by word."""
    by_words = None if worded is None else np.array([worded.get(one.id, math.nan) for one in candidates])
    return rank_columns(columns(candidates), question, worded=by_words, **how)


def order(ranked: Sequence[Ranked]) -> list[int]:
    return [one.candidate.id.int for one in ranked]


def reasons(ranked: Sequence[Ranked], candidate: Candidate) -> dict[str, float]:
    return next(dict(one.reasons) for one in ranked if one.candidate.id == candidate.id)


def test_the_best_match_by_meaning_and_words_ranks_first() -> None:
    far, words, meaning, both = episode(1), episode(11, keyword=0.5), episode(21, similarity=0.6), episode(31)
    both = replace(both, similarity=0.6, keyword=0.5)

    assert order(rank([far, words, meaning, both], "where?", limit=9)) == [1031, 1021, 1011, 1001]


def test_the_limit_cuts_the_end() -> None:
    assert len(rank([episode(n) for n in range(0, 50, 10)], "where?", limit=3)) == 3


def test_a_neighbour_of_a_good_match_is_lifted_whatever_the_time_between_them() -> None:
    match, beside, elsewhere = episode(10, similarity=0.9), episode(11), episode(40)

    ranked = rank([elsewhere, beside, match], "where?", limit=9)

    assert order(ranked) == [1010, 1011, 1040]  # without contiguity the later of two equal turns would come first
    assert reasons(ranked, beside)["contiguity"] == pytest.approx((0.26 * 0.9) / 0.48)
    assert reasons(ranked, elsewhere)["contiguity"] == 0


def test_a_memory_is_not_its_own_neighbour() -> None:
    lonely = episode(10, similarity=0.9)

    assert reasons(rank([lonely], "where?", limit=1), lonely)["contiguity"] == 0


@pytest.mark.parametrize(
    "other",
    [
        episode(14, similarity=0.9, seconds=1),
        episode(11, similarity=0.9, seconds=1, session="s2"),
        episode(11, similarity=0.9, seconds=1, scope=uuid.UUID(int=2)),
    ],
    ids=["four positions on", "another session", "another scope"],
)
def test_a_distant_turn_or_another_session_lifts_nothing(other: Candidate) -> None:
    one = episode(10, seconds=0)

    assert reasons(rank([one, other], "where?", limit=9), one)["contiguity"] == 0


BY_CLOCK = Scoring(Contiguity(reach=None, within=timedelta(seconds=60), boost=0.2))


def test_contiguity_by_time_boosts_a_near_result_of_any_session() -> None:
    alone, one = episode(1, similarity=0.5, seconds=0), episode(10, similarity=0.4, seconds=300)
    other = episode(20, similarity=0.1, seconds=360, session="s2")
    beyond = episode(11, similarity=0.1, seconds=421)

    plain = rank([alone, one, other, beyond], "where?", limit=9, scoring=Scoring(Contiguity(reach=0)))
    by_clock = rank([alone, one, other, beyond], "where?", limit=9, scoring=BY_CLOCK)

    assert order(plain)[:2] == [1001, 1010]
    assert order(by_clock)[0] == 1010
    gained = {a.candidate.id: b.score - a.score for a in plain for b in by_clock if a.candidate.id == b.candidate.id}
    assert gained == {alone.id: 0, beyond.id: 0, one.id: pytest.approx(0.2), other.id: pytest.approx(0.2)}
    assert reasons(by_clock, one)["contiguity"] == 0.2


def test_contiguity_by_time_compares_only_the_best_results() -> None:
    first, second, third = (episode(n, similarity=1 - n / 100, seconds=n) for n in (1, 2, 3))

    (best,) = rank([first, second, third], "where?", limit=1, scoring=BY_CLOCK)

    assert best.candidate == first
    (lone,) = rank([first, replace(second, kind="fact", keyword=1.0), third], "where?", limit=1, scoring=BY_CLOCK)
    assert lone.reasons["contiguity"] == 0  # the third is not among the best two


@pytest.mark.parametrize("wrong", [{"within": timedelta(1)}, {"boost": 0.2}, {"reach": None},
                                   {"within": timedelta(1), "boost": 0.2}])  # fmt: skip
def test_contiguity_by_turns_and_by_time_together_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="goes by reach, or by within and boost"):
        Contiguity(**wrong)


def test_salience_has_its_share_of_the_score_and_is_a_reason() -> None:
    used, forgotten = episode(1, similarity=0.4, seconds=0), episode(20, similarity=0.5, seconds=0)
    saliences = {used.id: 1.0, forgotten.id: 0.1}

    neutral = rank([used, forgotten], "where?", limit=9, saliences=saliences)
    ranked = rank([used, forgotten], "where?", limit=9, scoring=Scoring(salience=Salience(0.2)), saliences=saliences)

    assert order(neutral) == [1020, 1001]
    assert "salience" not in neutral[0].reasons
    assert order(ranked) == [1001, 1020]
    assert reasons(ranked, used)["salience"] == 1
    assert ranked[0].score == pytest.approx(0.8 * neutral[1].score + 0.2)


def test_a_memory_without_standing_has_the_salience_of_its_creation() -> None:
    one, told = episode(1, seconds=0), fact(2, [episode(3)])

    assert saliences([one], {}, "where?", Salience(1.0)) == {one.id: pytest.approx(math.exp(-1))}  # a day after noon
    assert salient_memory(replace(told, form="statement"), None).standing.source == "statement"
    assert salient_memory(told, None).standing.kind == "semantic"
    assert saliences([], {}, "where?", Salience(1.0)) == {}


def test_a_fact_lifts_its_sources_and_they_lift_it() -> None:
    source, same = episode(10), episode(40)
    drawn = fact(1, [source], similarity=0.8, keyword=0.6)

    ranked = rank([same, source, drawn], "where does Alice live?", limit=9)

    assert order(ranked) == [5001, 1010, 1040]
    assert reasons(ranked, source)["provenance"] == pytest.approx((0.26 * 0.8 + 0.22 * 0.6) / 0.48)
    assert reasons(ranked, drawn)["provenance"] == pytest.approx((0.26 * 0.1) / 0.48)


def test_an_episode_lifts_its_statement_but_a_statement_does_not_lift_its_episode() -> None:
    source = episode(10)
    told = replace(fact(1, [source], similarity=0.8, keyword=0.6), form="statement", speaker="Alice")

    ranked = rank([source, told], "where does Alice live?", limit=9)

    assert reasons(ranked, source)["provenance"] == 0
    assert reasons(ranked, told)["provenance"] == pytest.approx((0.26 * 0.1) / 0.48)
    assert reasons(ranked, told)["speaker"] == Weights().retold < 1  # a fact with a predicate gets the whole weight


def test_a_fact_without_its_source_among_the_candidates_gains_no_provenance() -> None:
    orphan = fact(1, [episode(10)], similarity=0.8)

    assert reasons(rank([orphan], "where?", limit=9), orphan)["provenance"] == 0


def test_the_turns_of_a_person_named_in_the_question_rank_first() -> None:
    alice, bob = episode(10, speaker="Alice Moe"), episode(30, speaker="Bob")

    assert order(rank([alice, bob], "Where does Bob live?", limit=9)) == [1030, 1010]
    assert order(rank([alice, bob], "and where does alice live?", limit=9)) == [1010, 1030]


@pytest.mark.parametrize(("speaker", "question", "named"), ROWS["a_name_is_a_whole_word"])
def test_a_name_is_a_whole_word(speaker: str, question: str, named: bool) -> None:
    assert is_named(speaker, question) is named


def test_the_later_of_two_equal_memories_ranks_first() -> None:
    old, new = episode(10, seconds=0), episode(20, seconds=0.001)

    assert order(rank([old, new], "where?", limit=9)) == order(rank([new, old], "where?", limit=9)) == [1020, 1010]


def recent(days: float) -> float:
    """The recency of a memory of this age."""
    return float(recency(np.array([timedelta(days=days) // timedelta(microseconds=1)]))[0])


def test_recency_halves_every_month_and_is_one_for_future_times() -> None:
    assert recent(0) == recent(-1) == 1
    assert recent(30) == 0.5
    assert recent(999_999) == 0


@given(st.lists(st.floats(0, 36_500), min_size=2, max_size=2))
def test_older_is_never_more_recent(days: list[float]) -> None:
    older, newer = sorted(days, reverse=True)

    assert 0 <= recent(older) <= recent(newer) <= 1


UNIT = st.floats(0, 1)


@given(
    st.lists(st.tuples(st.integers(1, 40), UNIT, UNIT, st.integers(0, 200)), max_size=12, unique_by=lambda row: row[0])
)
def test_scores_and_reasons_lie_between_0_and_1(rows: list[tuple[int, float, float, int]]) -> None:
    episodes = [episode(n, similarity=s, keyword=k, seconds=t) for n, s, k, t in rows]
    facts = [fact(n, [one], similarity=one.keyword) for n, one in enumerate(episodes[::2])]

    ranked = rank([*episodes, *facts], "Alice?", limit=20)

    assert all(0 <= value <= 1 for one in ranked for value in (one.score, *one.reasons.values()))
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert order(ranked) == order(rank([*facts, *reversed(episodes)], "Alice?", limit=20))


def test_a_new_episode_without_a_match_scores_above_zero() -> None:
    new = episode(1, similarity=0, age=timedelta(0))

    assert rank([new], "where?", limit=1)[0].score > 0


def test_weights_add_up_to_one() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        Weights(similarity=0.5)
    with pytest.raises(ValueError, match="0 or more"):
        Weights(similarity=-0.1, keyword=0.65)


def test_the_match_may_have_weight_zero() -> None:
    weights = Weights(similarity=0, keyword=0, association=0.9, speaker=0, recency=0.1, conversation=0)

    assert weights.lift == 0
    assert rank([episode(1, similarity=1)], "where?", limit=1, weights=weights)[0].score < 0.11


def test_the_last_fact_of_a_chain_ranks_above_the_first() -> None:
    source = episode(10)
    first = replace(
        fact(1, [source], similarity=0.6, keyword=0.5), form="typed", speaker="Alice", beside={"graph": 0.5}
    )
    end = replace(fact(2, [source], similarity=0.4, keyword=0.2), form="typed", speaker="Oslo", beside={"graph": 1.0})
    question = "Who is the mayor of the city where Alice lives?"

    assert order(rank([first, end], question, limit=2)) == [end.id.int, first.id.int]
    off = Scoring(weights=replace(Weights(), chain=0.0, beside=0.0))
    assert order(rank([first, end], question, limit=2, scoring=off)) == [first.id.int, end.id.int]


def test_a_current_fact_gains_by_its_share_of_the_questions_words() -> None:
    source = episode(10)
    silent, says = (replace(fact(n, [source], similarity=0.5, keyword=n / 2), form="typed") for n in (0, 2))

    now = {one.candidate.id: one.score for one in rank([silent, says], "where?", limit=2)}
    ever = Scoring(weights=replace(Weights(), current=1.0))
    was = {one.candidate.id: one.score for one in rank([silent, says], "where?", limit=2, scoring=ever)}

    assert now[silent.id] == was[silent.id]
    assert now[says.id] == pytest.approx(min(1.0, Weights().current * was[says.id]))
