"""A person's newer turn ranks above an older one on the same matter."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from slowwave.core.recall.candidate import Ranked
from slowwave.core.recall.newer import (
    ALIKE,
    AMONG,
    ANSWERING,
    NEWS_AMONG,
    RARE_ALIKE,
    SHARED,
    last_first,
    news_first,
)
from tests.unit.core.recall.test_outdated import fact, names, of, told


def test_the_later_of_two_memories_with_the_same_words_ranks_first() -> None:
    found = last_first([
        told("fourteenth", 0.8, day=1, says={1: 0.3}), told("cat", 0.7, day=5, says={2: 0.3}),
        told("twentyfirst", 0.6, day=9, says={1: 0.3, 2: 0.1}),
    ])  # fmt: skip

    assert names(found) == ["twentyfirst", "fourteenth", "cat"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].reasons == {"newer": 1.0}


@pytest.mark.parametrize(
    "later",
    [
        told("less", 0.8 * ALIKE - 0.01, day=9, says={1: 0.3}),
        told("other-words", 0.7, day=9, says={2: 0.3}),
        told("earlier", 0.7, day=0, says={1: 0.3}),
        of("assistant", told("suggested", 0.7, day=9, says={1: 0.3})),
        of("user", told("asked", 0.7, day=9, says={1: 0.3}), asks=True),
        fact("session/s2", told("summary", 0.7, day=9, says={1: 0.3})),
    ],
    ids=lambda one: one.candidate.speaker,
)
def test_a_weaker_or_different_or_earlier_memory_keeps_its_rank(later: Ranked) -> None:
    first = told("first", 0.8, day=1, says={1: 0.3})

    assert last_first([first, later]) == [first, later]


def test_a_memory_with_few_words_of_the_question_keeps_its_rank() -> None:
    first, later = told("first", 0.8, day=1, says={1: 0.1}), told("later", 0.7, day=9, says={1: 0.1})

    assert last_first([first, later]) == [first, later]


def test_only_the_best_memories_are_reordered() -> None:
    many = [told(f"at{number}", 0.8, day=number, says={number: 0.3}) for number in range(AMONG)]
    late = told("late", 0.8, day=AMONG, says={0: 0.3})

    assert names(last_first([*many, late]))[-1] == "late"
    assert names(last_first([many[0], late]))[0] == "late"


def telling(text: str, score: float, *, day: int, says: Mapping[int, float]) -> Ranked:
    """Return a turn with this text, which is also its name."""
    one = told(text, score, day=day, says=says)
    return replace(one, candidate=replace(one.candidate, speaker=None, ending=text))


def of_words(text: str) -> Ranked:
    """Return an old turn that matches the question well."""
    return telling(text, 0.8, day=1, says={1: 0.5})


OLD = telling("beta due nov 14", 0.8, day=1, says={1: 0.5})


@pytest.mark.parametrize(
    "news",
    [
        "beta got pushed, nov 28", "the beta is the 28th now", "Die Beta kommt jetzt am 28.", "ahora la beta es el 28",
        "sorry, the beta comes on the 28th",
    ],
)  # fmt: skip
def test_news_ranks_before_the_memory_it_changes(news: str) -> None:
    other, newer = telling("the cat sleeps", 0.7, day=9, says={}), telling(news, 0.6, day=5, says={1: 0.5})

    found = news_first([OLD, other, newer], {"kim"})

    assert [one.candidate.ending for one in found] == [news, OLD.candidate.ending, "the cat sleeps"]
    assert (found[0].score, found[0].reasons) == (OLD.score, {"newer": 1.0})


def test_a_single_recollection_keeps_its_rank() -> None:
    alone = telling("sorry, the beta comes on the 28th", 0.6, day=5, says={1: 0.5})

    assert news_first([alone], {"kim"}) == [alone]


def test_news_is_matched_by_a_rare_word_outside_the_question() -> None:
    old = telling("deploy = docker compose on one vm in frankfurt", 0.8, day=1, says={1: 0.5})
    news = telling("the frankfurt vm has been switched off", 0.6, day=5, says={})

    assert news_first([old, news], set())[0].candidate.ending == news.candidate.ending


def test_a_statement_does_not_make_its_own_turns_words_common() -> None:
    old, news = of_words("a blood thinner, warfarin"), telling("they stopped the warfarin", 0.2, day=5, says={})
    repeats = fact("kim", told("warfarin", 0.7, day=1, says={1: 0.5}))
    repeats = replace(
        repeats, candidate=replace(repeats.candidate, text="Kim takes warfarin", position=old.candidate.position)
    )

    assert news_first([old, repeats, news], set())[0].candidate == news.candidate


@pytest.mark.parametrize(
    ("old", "news", "moves"),
    [
        (("a blood thinner, warfarin", 0.5), ("they stopped the warfarin", 0.1), True),
        (("a blood thinner, warfarin", 0.5), ("they stopped the warfarin", 0.5 * RARE_ALIKE - 0.01), False),
        (("a blood thinner, warfarin", ANSWERING - 0.01), ("they stopped the warfarin", 0.1), False),
        (("a blood thinner, warfarin", ANSWERING - 0.01), ("they stopped the warfarin", 0.3), True),
        (("my manager is Sandra", 0.5), ("Sandra got moved to inbound, we've got Craig now", 0.1), True),
        (("my chess is on Mondays, last I heard", 0.5), ("last Monday the bus broke down", 0.1), False),
        (("I work from home, it's quiet", 0.5), ("I sold the car, it's gone", 0.1), False),
        (("I live in Leeds", 0.5), ("since when do you hate Leeds", 0.1), False),
    ],
)
def test_news_that_shares_only_the_thing_with_the_question_is_matched(
    old: tuple[str, float], news: tuple[str, float], moves: bool
) -> None:
    before, after = telling(*old, day=1, says={1: 0.5}), telling(*news, day=5, says={})

    assert (news_first([before, after], set())[0].candidate == after.candidate) == moves


def test_a_memory_without_the_kind_of_thing_asked_for_does_not_move_before_one_with_it() -> None:
    first = replace(told("first", 0.8, day=1, says={1: 0.3}), reasons={"fits": 1.0})
    later = told("later", 0.7, day=9, says={1: 0.3})

    assert names(last_first([first, later])) == ["first", "later"]
    assert names(last_first([first, replace(later, reasons={"fits": 1.0})])) == ["later", "first"]


@pytest.mark.parametrize(
    "later",
    [
        telling("the beta is due on nov 28", 0.6, day=5, says={1: 0.5}),
        telling("beta got pushed, nov 28", 0.6, day=0, says={1: 0.5}),
        telling("beta got pushed, nov 28", 0.8 * RARE_ALIKE - 0.01, day=5, says={1: 0.5}),
        telling("the release got pushed", 0.6, day=5, says={2: 0.5}),
        telling("it got pushed", 0.6, day=5, says={1: SHARED - 0.01}),
        telling("Kim got pushed", 0.6, day=5, says={}),
        of("assistant", telling("the beta got pushed", 0.6, day=5, says={1: 0.5})),
        of("user", telling("has the beta been pushed", 0.6, day=5, says={1: 0.5}), asks=True),
    ],
)
def test_memories_without_related_news_keep_their_order(later: Ranked) -> None:
    first = replace(OLD, candidate=replace(OLD.candidate, ending="Kim: beta due nov 14"))

    assert news_first([first, later], {"kim"}) == [first, later]


def test_news_moves_among_the_best_only() -> None:
    many = [telling(f"cat{number}", 0.7, day=1, says={}) for number in range(NEWS_AMONG - 1)]
    news = telling("beta got pushed, nov 28", 0.6, day=5, says={1: 0.5})

    assert news_first([OLD, *many, news], set())[-1] == news
    assert news_first([OLD, *many[1:], news], set())[0].candidate == news.candidate


def test_news_without_an_older_memory_keeps_its_rank() -> None:
    news = telling("beta got pushed, nov 28", 0.6, day=5, says={1: 0.5})

    assert news_first([news], set()) == [news]
    assert news_first([], set()) == []


def test_a_correction_is_not_newer_than_the_fact_that_was_read_from_it() -> None:
    """A corrected fact holds from the time of the corrected turn on, although the correction was told later."""
    meant = telling("no, I meant spelt", 0.6, day=9, says={1: 0.3})
    spelt = fact("tomasz", told("spelt", 0.8, day=1, says={1: 0.5}))
    spelt = replace(spelt, candidate=replace(spelt.candidate, position=meant.candidate.position))
    other = replace(spelt, candidate=replace(spelt.candidate, position=meant.candidate.position - 1))

    assert news_first([spelt, meant], ()) == [spelt, meant]
    assert last_first([spelt, meant]) == [spelt, meant]
    assert [one.candidate.id for one in news_first([other, meant], ())] == [meant.candidate.id, other.candidate.id]
