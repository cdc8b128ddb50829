"""What the turns around a memory, and its whole conversation, add to it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.neighbours import Neighbourhood
from slowwave.core.recall.ranking import rank
from slowwave.core.recall.weights import Weights
from tests.unit.core.recall.test_ranking import episode, order, reasons


def company(turns: Sequence[Candidate], matches: Sequence[float] | None = None) -> Neighbourhood:
    """Return the company of *turns*, which lend all of their match."""
    return Neighbourhood(turns, matches or [0.5] * len(turns), [1.0] * len(turns))


SHARES = st.dictionaries(st.integers(0, 3), st.floats(0, 0.25), max_size=4)


def test_a_turn_gets_the_missing_words_from_the_turn_before() -> None:
    asked = replace(episode(10), shares={0: 0.6})
    answered = replace(episode(11, keyword=0.4), shares={1: 0.4})
    silent = episode(12)

    keywords = company([asked, answered, silent]).covered(0.5)

    assert keywords[1] == pytest.approx(0.4 + 0.5 * 0.6)
    assert keywords[2] == 0  # it is about something else


def test_a_turn_two_away_counts_half_and_another_session_counts_zero() -> None:
    one, far = replace(episode(10), shares={0: 0.6}), replace(episode(12), shares={1: 0.4})
    other = replace(episode(11), shares={2: 0.5}, session="s2")

    keywords = company([one, far, other]).covered(0.5)

    assert keywords[0] == pytest.approx(0.6 + 0.25 * 0.4)
    assert keywords[2] == pytest.approx(0.5)


@given(st.lists(SHARES, min_size=1, max_size=6), st.floats(0, 1))
def test_neighbours_add_coverage_up_to_the_whole_question(shares: list[dict[int, float]], share: float) -> None:
    turns = [replace(episode(n), shares=said) for n, said in enumerate(shares)]

    for one, keyword in zip(turns, company(turns).covered(share), strict=True):
        assert sum(one.shares.values()) - 1e-9 <= keyword <= 1
    assert all(0 <= value <= 1 for value in company(turns).conversations())


def test_a_conversation_matches_by_its_best_turns_and_its_joint_words() -> None:
    turns = [replace(episode(n), shares={n: 0.3}) for n in range(3)]

    assert company(turns, [0.9, 0.6, 0.0]).conversations() == [pytest.approx((0.5 + 0.9) / 2)] * 3


def test_a_matching_conversation_lifts_its_turns_except_for_list_questions() -> None:
    about = [replace(episode(n, similarity=0.6, keyword=0.3), session="s1") for n in (1, 20, 40)]
    elsewhere = replace(episode(60, similarity=0.62, keyword=0.3), session="s2")
    candidates = [*about, elsewhere, *(replace(episode(70 + n), session="s2") for n in range(0, 20, 10))]

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
