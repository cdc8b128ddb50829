"""What asks again, and what says the same again."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.candidate import Ranked
from slowwave.core.recall.duplicates import answers, folded, only_asks, passed_share
from slowwave.core.recall.ranking import rank
from tests.unit.core.recall.test_ranking import episode, order, reasons


@pytest.mark.parametrize(
    "text", ["Where do I live?", "Ann: where do I live ?  ", "And you, Ann?", "Which one, 3.5 or 4?"]
)
def test_only_asks_recognises_a_question(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize("text", ["I moved to Oslo. And you?", "I moved to Oslo!\nWhere do you live?", "Oslo", ""])
def test_a_text_with_a_statement_is_not_only_a_question(text: str) -> None:
    assert not only_asks(text)


def test_a_repeated_question_ranks_below_its_answer() -> None:
    again = replace(episode(10, similarity=1.0, keyword=1.0), asks=True)
    answer = episode(30, similarity=0.3)

    ranked = rank([again, answer], "Where do I live?", limit=9)

    assert order(ranked) == [1030, 1010]
    assert ranked[1].score == 0


def test_a_query_that_asks_nothing_finds_a_question_with_the_same_words() -> None:
    said = replace(episode(10, similarity=1.0, keyword=1.0), asks=True)
    other = episode(30, similarity=0.3)

    assert order(rank([said, other], "do I live", limit=9)) == [1010, 1030]


def test_a_repeated_question_does_not_lift_its_neighbours_and_a_similar_one_does() -> None:
    beside = episode(11)
    again = replace(episode(10, similarity=1.0, keyword=1.0), asks=True)
    alike = replace(again, similarity=0.7)

    assert reasons(rank([again, beside], "where?", limit=9), beside)["contiguity"] == 0
    assert reasons(rank([alike, beside], "where?", limit=9), beside)["contiguity"] > 0.5


@given(st.floats(0, 1), st.booleans())
def test_a_repeated_question_never_raises_a_score(similarity: float, asks: bool) -> None:
    one = replace(episode(1, similarity=similarity), asks=asks)

    assert 0 <= answers(one) <= 1
    assert 0 <= passed_share(one) <= 1
    assert asks or answers(one) == passed_share(one) == 1


gists = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([1, 2])), max_size=12)


@given(gists)
def test_folding_keeps_the_first_duplicate_of_each_scope_in_order(
    said: list[tuple[str | None, int]],
) -> None:
    ranked = [
        Ranked(replace(episode(n), gist=gist, scope=uuid.UUID(int=scope)), 0.5, {})
        for n, (gist, scope) in enumerate(said)
    ]

    kept = folded(ranked)

    assert [one for one in ranked if one in kept] == kept == folded(kept)
    assert [one for one in kept if one.candidate.gist is None] == [one for one in ranked if one.candidate.gist is None]
    told = [(one.candidate.scope, one.candidate.gist) for one in kept if one.candidate.gist is not None]
    assert sorted(told) == sorted({(uuid.UUID(int=scope), gist) for gist, scope in said if gist is not None})
