"""Times in a question, and the memories near to them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.recall.candidate import Candidate
from slowwave.core.recall.scored import Scored
from slowwave.core.recall.scoring import Scoring, Weights
from slowwave.core.recall.time_match import OTHER_YEAR, Span, by_time, nearness, spans
from slowwave.rules.dates import meant
from tests.unit.core.recall.test_ranking import columns, episode, order, rank, reasons
from tests.unit.tables import over, table

ROWS = table(__file__)

ASKED = datetime(2026, 3, 4, 9, tzinfo=UTC)  # a Wednesday
MAY = Span(datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC))
INSTANTS = st.integers(0, 40 * 365 * 24).map(lambda hours: datetime(2000, 1, 1, tzinfo=UTC) + timedelta(hours=hours))


def told(position: int, at: datetime, ending: str = "", similarity: float = 0.3) -> Candidate:
    """Return an episode of that time, ten positions from any other."""
    return episode(10 * position, similarity=similarity, occurred=at, age=ASKED - at, ending=ending)


@over(ROWS["the_times_that_a_question_names_are_those_its_words_mean"])
def test_the_times_that_a_question_names_are_those_its_words_mean(question: str, first: str, after: str) -> None:
    (span,) = spans(question, ASKED, meant)

    assert (span.start.date().isoformat(), span.end.date().isoformat()) == (first, after)
    assert not span.yearly


@pytest.mark.parametrize(
    "question",
    ["What may help Ann?", "Who fell in the march?", "When did Ann move?", "On 31 February 2023?", "At 0000-01-01?"],
)
def test_words_without_a_time_name_no_time(question: str) -> None:
    assert spans(question, ASKED, meant) == []


def test_yesterday_is_relative_to_the_askers_time_zone() -> None:
    early = datetime(2026, 3, 4, 1, tzinfo=timezone(timedelta(hours=9)))  # the evening before, in UTC

    (span,) = spans("What did we plan yesterday?", early, meant)

    assert span.start == datetime(2026, 3, 2, 15, tzinfo=UTC)


def test_a_memory_of_the_named_time_ranks_above_a_slightly_better_match() -> None:
    then, later = told(1, MAY.start + timedelta(days=9)), told(2, MAY.end + timedelta(days=90), similarity=0.5)

    assert order(rank([then, later], "What did Ann paint?", limit=2)) == [1020, 1010]
    ranked = rank([then, later], "What did Ann paint in May 2023?", limit=2, times=[MAY])
    assert order(ranked) == [1010, 1020]
    assert reasons(ranked, then)["time"] == 1.0
    off = Scoring(weights=replace(Weights(), time=0.0))
    assert order(rank([then, later], "What did Ann paint in May 2023?", limit=2, times=[MAY], scoring=off)) == [
        1020,
        1010,
    ]


def test_a_named_time_without_memories_leaves_the_ranking_unchanged() -> None:
    far = [told(1, MAY.end + timedelta(days=30)), told(2, MAY.start - timedelta(days=300), similarity=0.4)]

    named, bare = (rank(far, "What did Ann paint?", limit=2, times=times) for times in ([MAY], []))

    assert named == bare


def test_a_time_without_a_year_is_any_year_and_the_nearest_first() -> None:
    last, before, between = (
        told(number, datetime(year, month, 9, tzinfo=UTC))
        for number, (year, month) in enumerate([(2025, 5), (2022, 5), (2025, 9)])
    )

    measures = nearness([last, before, between], spans("Where was she in May?", ASKED, meant))

    assert measures[:2] == [1.0, OTHER_YEAR]
    assert measures[2] < 0.01


def test_a_when_question_prefers_a_memory_with_a_date() -> None:
    dated = told(1, ASKED - timedelta(days=50), "I moved to Oslo two weeks ago.")
    bare = told(2, ASKED - timedelta(days=40), "I moved to Oslo.", similarity=0.32)

    assert order(rank([dated, bare], "When did Ann move?", limit=2)) == [1010, 1020]
    assert order(rank([dated, bare], "Did Ann move?", limit=2)) == [1020, 1010]


@given(
    st.lists(st.tuples(INSTANTS, st.floats(0, 1)), min_size=1, max_size=8), INSTANTS, st.integers(1, 400), st.booleans()
)
def test_a_nearer_time_never_lowers_a_score_and_scores_stay_within_1(
    memories: list[tuple[datetime, float]], start: datetime, days: int, yearly: bool
) -> None:
    span = Span(start, start + timedelta(days=days), yearly)
    candidates, scores = [told(n, at) for n, (at, _) in enumerate(memories)], [score for _, score in memories]

    weighed = by_time(Scored(columns(candidates), np.array(scores), {}), "What?", [span], Weights()).scores.tolist()

    near = nearness(candidates, [span])
    assert all(0 <= measure <= 1 for measure in near)
    assert all(0 <= score <= 1 for score in weighed)
    for one, was, measure in zip(weighed, scores, near, strict=True):
        for other, its, other_measure in zip(weighed, scores, near, strict=True):
            if was >= its and measure >= other_measure:
                assert one >= other
