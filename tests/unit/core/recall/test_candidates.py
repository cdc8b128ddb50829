"""Repeated memories count once, and a memory's neighbours add to its match."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.candidate import Candidate, Ranked, answers, deduplicated, only_asks
from slowwave.core.recall.neighbours import Neighbourhood, passed_share
from slowwave.core.recall.scoring import Weights
from tests.unit.core.recall.test_ranking import columns, episode, order, rank, reasons


@pytest.mark.parametrize(
    "text", ["Where do I live?", "Ann: where do I live ?  ", "And you, Ann?", "Which one, 3.5 or 4?"]
)
def test_only_asks_recognises_a_question(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize("text", ["I moved to Oslo. And you?", "I moved to Oslo!\nWhere do you live?", "Oslo", ""])
def test_a_text_with_a_statement_is_not_only_a_question(text: str) -> None:
    assert not only_asks(text)


def test_a_repeated_question_ranks_below_its_answer() -> None:
    again = episode(10, similarity=1.0, keyword=1.0, asks=True)
    answer = episode(30, similarity=0.3)

    ranked = rank([again, answer], "Where do I live?", limit=9)

    assert order(ranked) == [1030, 1010]
    assert ranked[1].score == 0


def test_a_query_that_asks_nothing_finds_a_question_with_the_same_words() -> None:
    said = episode(10, similarity=1.0, keyword=1.0, asks=True)
    other = episode(30, similarity=0.3)

    assert order(rank([said, other], "do I live", limit=9)) == [1010, 1030]


def test_a_repeated_question_does_not_lift_its_neighbours_and_a_similar_one_does() -> None:
    beside = episode(11)
    again = episode(10, similarity=1.0, keyword=1.0, asks=True)
    alike = replace(again, similarity=0.7)

    assert reasons(rank([again, beside], "where?", limit=9), beside)["contiguity"] == 0
    assert reasons(rank([alike, beside], "where?", limit=9), beside)["contiguity"] > 0.5


@given(st.floats(0, 1), st.booleans())
def test_a_repeated_question_never_raises_a_score(similarity: float, asks: bool) -> None:
    one = episode(1, similarity=similarity, asks=asks)

    assert 0 <= answers(one) <= 1
    (passed,) = passed_share(columns([one]))
    assert 0 <= passed <= 1
    assert asks or answers(one) == passed == 1


gists = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([1, 2])), max_size=12)


@given(gists)
def test_folding_keeps_the_first_duplicate_of_each_scope_in_order(
    said: list[tuple[str | None, int]],
) -> None:
    ranked = [
        Ranked(episode(n, gist=gist, scope=uuid.UUID(int=scope)), 0.5, {}) for n, (gist, scope) in enumerate(said)
    ]

    kept = deduplicated(ranked)

    assert [one for one in ranked if one in kept] == kept == deduplicated(kept)
    assert [one for one in kept if one.candidate.gist is None] == [one for one in ranked if one.candidate.gist is None]
    told = [(one.candidate.scope, one.candidate.gist) for one in kept if one.candidate.gist is not None]
    assert sorted(told) == sorted({(uuid.UUID(int=scope), gist) for gist, scope in said if gist is not None})


def company(turns: Sequence[Candidate], matches: Sequence[float] | None = None) -> Neighbourhood:
    """Return the neighbours of *turns*, each of which adds its whole match."""
    return Neighbourhood(columns(turns), np.array(matches or [0.5] * len(turns)), np.ones(len(turns)))


SHARES = st.dictionaries(st.integers(0, 3), st.floats(0, 0.25), max_size=4)


def test_a_turn_gets_the_missing_words_from_the_turn_before() -> None:
    asked = episode(10, shares={0: 0.6})
    answered = episode(11, keyword=0.4, shares={1: 0.4})
    silent = episode(12)

    keywords = company([asked, answered, silent]).covered(0.5)

    assert keywords[1] == pytest.approx(0.4 + 0.5 * 0.6)
    assert keywords[2] == 0  # the turn is about something else


def test_a_turn_two_away_counts_half_and_another_session_counts_zero() -> None:
    one, far = episode(10, shares={0: 0.6}), episode(12, shares={1: 0.4})
    other = episode(11, shares={2: 0.5}, session="s2")

    keywords = company([one, far, other]).covered(0.5)

    assert keywords[0] == pytest.approx(0.6 + 0.25 * 0.4)
    assert keywords[2] == pytest.approx(0.5)


@given(st.lists(SHARES, min_size=1, max_size=6), st.floats(0, 1))
def test_neighbours_add_coverage_up_to_the_whole_question(shares: list[dict[int, float]], share: float) -> None:
    turns = [episode(n, shares=said) for n, said in enumerate(shares)]

    for one, keyword in zip(turns, company(turns).covered(share), strict=True):
        assert sum(one.shares.values()) - 1e-9 <= keyword <= 1
    assert all(0 <= value <= 1 for value in company(turns).conversations())


def test_a_conversation_matches_by_its_best_turns_and_its_joint_words() -> None:
    turns = [episode(n, shares={n: 0.3}) for n in range(3)]

    assert company(turns, [0.9, 0.6, 0.0]).conversations().tolist() == [pytest.approx((0.5 + 0.9) / 2)] * 3


def test_a_matching_conversation_lifts_its_turns_except_for_list_questions() -> None:
    about = [episode(n, similarity=0.6, keyword=0.3, session="s1") for n in (1, 20, 40)]
    elsewhere = episode(60, similarity=0.62, keyword=0.3, session="s2")
    candidates = [*about, elsewhere, *(episode(70 + n, session="s2") for n in range(0, 20, 10))]

    assert order(rank(candidates, "where did she paint?", limit=9))[-3:][0] == 1060
    assert order(rank(candidates, "what pictures has she painted?", limit=9))[0] == 1060


@given(st.integers(0, 100))
def test_the_weights_for_list_questions_add_up_to_one(share: int) -> None:
    rest = (100 - share) / 500
    weights = Weights(rest, rest, rest, rest, rest, share / 100)

    broad = weights.broad()

    assert broad.cover == 0
    assert share == 100 or broad.conversation == 0
    found = reasons(rank([episode(1)], "where?", limit=1, weights=weights), episode(1))
    assert all(0 <= value <= 1 for value in found.values())
