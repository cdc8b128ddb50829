"""Turns whose beliefs have all ended rank below the turns that ended them; all others keep their order."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from slowwave.core.recall.candidate import Candidate, Ranked
from slowwave.core.recall.outdated import (
    AS_WELL,
    LEFT,
    NEARLY,
    Ended,
    above,
    asks_of_before,
    asks_of_past,
    asks_of_present,
    below,
    learned_later,
    own_words_first,
)
from slowwave.domain.claim import Source
from slowwave.domain.episode import Role
from tests.unit.tables import table

ROWS = table(__file__)

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def turn(name: str) -> Candidate:
    """Return a turn with this name."""
    id_ = uuid.uuid5(uuid.NAMESPACE_OID, name)
    return Candidate("episode", id_, uuid.UUID(int=1), 1, "s1", NOON, NOON, timedelta(), name, 0.0, 0.0, ())


def ranked(**scores: float) -> list[Ranked]:
    """Return turns with these scores, in the given order."""
    return [Ranked(turn(name), score, {"keyword": score}) for name, score in scores.items()]


def ended(**by: str) -> dict[uuid.UUID, Ended]:
    """Return the ended turns with the turns that ended them, a day later each."""
    return {
        turn(name).id: Ended(NOON + day * timedelta(days=1), turn(ender))
        for day, (name, ender) in enumerate(by.items())
    }


def names(found: Sequence[Ranked]) -> list[str]:
    """Return the turns in their order."""
    return [one.candidate.speaker or "" for one in found]


def test_the_ending_turn_takes_the_rank_of_the_ended_turn_which_shows_its_end() -> None:
    found = below(ranked(had=0.8, other=0.7, sold=0.1), ended(had="sold"))

    assert names(found) == ["sold", "other", "had"]
    sold, _, had = found
    assert (sold.score, sold.reasons["ends"], sold.until) == (0.8, 0.8, None)
    assert had.score == pytest.approx(0.8 * LEFT)
    assert had.until == NOON
    assert had.reasons["outdated"] == pytest.approx(1 - LEFT)
    assert had.reasons["keyword"] == 0.8


def test_a_fact_valid_since_an_earlier_turn_may_be_a_correction_of_it() -> None:
    said = turn("said")
    meant = said.but(kind="fact", position=3)

    assert learned_later([said, meant]) == [meant]
    assert learned_later([meant]) == []
    assert learned_later([said, meant.but(position=1)]) == []
    assert learned_later([said, meant.but(occurred=NOON + timedelta(hours=1))]) == []
    assert learned_later([said, meant.but(scope=uuid.UUID(int=2))]) == []


def test_an_ending_turn_is_added_to_the_results() -> None:
    found = below(ranked(had=0.8, other=0.1), ended(had="sold"))

    assert names(found) == ["sold", "had", "other"]
    assert (found[0].score, found[0].reasons) == (0.8, {"ends": 0.8})


def test_an_ending_turn_that_already_ranks_above_keeps_its_score() -> None:
    found = below(ranked(sold=0.9, had=0.8), ended(had="sold"))

    assert [(one.candidate.speaker, one.score) for one in found] == [("sold", 0.9), ("had", pytest.approx(0.56))]
    assert "ends" not in found[0].reasons


def test_chained_endings_rank_from_newest_to_oldest() -> None:
    for scores in ({"honda": 0.9, "toyota": 0.3, "bicycle": 0.1}, {"toyota": 0.7, "honda": 0.69, "bicycle": 0.2}):
        found = below(ranked(**scores), ended(honda="toyota", toyota="bicycle"))

        assert names(found) == ["bicycle", "toyota", "honda"]
        assert found[0].score == max(scores.values())
        assert [one.until for one in found] == [None, NOON + timedelta(days=1), NOON]
        assert found[1].score >= found[2].score


def test_a_turn_that_ended_two_facts_ranks_above_both() -> None:
    found = below(ranked(first=0.9, second=0.6, sold=0.1), ended(first="sold", second="sold"))

    assert names(found) == ["sold", "first", "second"]
    assert found[0].score == 0.9


def test_tied_results_keep_their_order() -> None:
    found = below(ranked(a=0.5, b=0.5, had=0.5, c=0.5, d=0.4, sold=0.1), ended(had="sold"))

    assert names(found) == ["a", "b", "sold", "c", "d", "had"]


def test_results_without_ended_turns_keep_their_order() -> None:
    before = ranked(a=0.2, b=0.9, c=0.2)

    assert below(before, ended(elsewhere="sold")) == before


@pytest.mark.parametrize(("question", "past"), ROWS["past"])  # fmt: skip
def test_asks_of_past_recognises_a_question_about_the_past(question: str, past: bool) -> None:
    assert asks_of_past(question) is past


def told(name: str, score: float, *, day: int, says: Mapping[int, float]) -> Ranked:
    """Return a turn of a day with this match of each word of a question."""
    return Ranked(replace(turn(name), occurred=NOON + timedelta(days=day), shares=says), score, {}, score)


def of(role: Role, one: Ranked, *, asks: bool = False) -> Ranked:
    """Return a turn of this speaker."""
    return replace(one, candidate=replace(one.candidate, role=role, asks=asks))


def fact(subject: str, one: Ranked) -> Ranked:
    """Return a fact about *subject* instead of a turn."""
    return replace(one, candidate=replace(one.candidate, kind="fact", speaker=subject))


@pytest.mark.parametrize(
    ("question", "present"),
    [
        ("What car does she drive?", True), ("Where is she living?", True), ("Who's her boss?", True),
        ("What car did she drive?", False), ("What does she drive since last week?", False), ("the red car", False),
    ],
)  # fmt: skip
def test_asks_of_present_recognises_a_question_about_the_present(question: str, present: bool) -> None:
    assert asks_of_present(question) is present


def test_a_partly_ended_turn_ranks_below_but_shows_no_end() -> None:
    ends = {turn("had").id: Ended(NOON, turn("sold"), whole=False)}

    found = below(ranked(had=0.8, sold=0.1), ends)

    assert names(found) == ["sold", "had"]
    assert found[1].until is None


@pytest.mark.parametrize(("share", "first"), [(NEARLY, "told"), (NEARLY - 0.01, "stated")])
def test_an_episode_ranks_before_its_statement_if_it_matches_about_as_well(share: float, first: str) -> None:
    told = turn("told")
    source = Source(told.id, "k1", 1, 0, 5)
    stated = replace(turn("stated"), kind="fact", form="statement", sources=(source,))
    both = [Ranked(stated, 1.0, {}), *ranked(other=0.9), Ranked(told, share, {})]

    found = own_words_first(both)

    assert names(found)[0] == first
    assert sorted(names(found)) == ["other", "stated", "told"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_two_statements_of_one_turn_move_it_once() -> None:
    told = turn("told")
    source = Source(told.id, "k1", 1, 0, 5)
    both = [replace(turn(name), kind="fact", form="statement", sources=(source,)) for name in ("one", "two")]

    found = own_words_first([*(Ranked(one, 1.0, {}) for one in both), Ranked(told, 0.9, {})])

    assert names(found) == ["told", "one", "two"]


def test_a_question_about_the_past_ranks_the_ended_turn_above_the_turn_that_ended_it() -> None:
    read = replace(turn("read"), kind="fact", sources=(Source(turn("sold").id, "k", 1, 0, 4),))
    asked = [Ranked(read, 0.9, {}), *ranked(sold=0.8, other=0.7, had=0.9 * AS_WELL)]

    found = above(asked, ended(had="sold"))

    assert names(found) == ["had", "read", "sold", "other"]
    assert (found[0].score, found[0].until) == (0.9, NOON)


def test_an_ended_turn_keeps_its_rank_if_it_matches_far_worse_or_ended_by_another_turn() -> None:
    asked = ranked(sold=0.8, had=0.8 * AS_WELL - 0.01)

    assert names(above(asked, ended(had="sold"))) == ["sold", "had"]
    assert names(above(ranked(sold=0.8, had=0.7), ended(had="lost"))) == ["sold", "had"]


@pytest.mark.parametrize(("question", "before"), ROWS["earlier"])
def test_a_question_about_an_earlier_state_is_recognised(question: str, before: bool) -> None:
    assert asks_of_before(question) == before
