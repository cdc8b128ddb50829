"""Turns to requests: how they are shared out, and what is told beside them."""

import uuid
from dataclasses import replace

import pytest

from slowwave.core.fold import Version
from slowwave.core.timeline import Span
from slowwave.core.tokens import tokens
from slowwave.rules.case import FIRST
from slowwave.rules.reader.planning import TALK_TOKENS, cut
from tests.unit.reader.talks import chunk, reader, turns

BOULDERS = Version(
    fact=uuid.UUID(int=7), key=("user", "hobby", "bouldering"), subject="user", predicate="hobby", object="bouldering",
    valid=Span(FIRST), confidence=0.95, position=0, session="s0", rule="x",
)  # fmt: skip


def told(number: int, words: int) -> list[str]:
    return ["a word " * words] * number


def test_talk_is_shared_out_over_as_few_requests_as_it_takes_of_about_one_size() -> None:
    parts = list(cut(turns(*told(200, words=25))))

    sizes = [sum(tokens(turn.content) for turn in part) for part in parts]
    assert sum(map(len, parts)) == 200
    assert len(parts) == -(-sum(sizes) // (TALK_TOKENS - 200))
    assert max(sizes) <= TALK_TOKENS
    assert max(sizes) - min(sizes) < TALK_TOKENS / 10


def test_nods_are_not_all_in_one_request() -> None:
    assert len(list(cut(turns(*["Yes."] * 400)))) > 1


def test_what_was_learned_before_is_told_and_what_was_learned_from_the_turns_is_not() -> None:
    asked = chunk("I still go bouldering.", held=[BOULDERS])
    assert "HELD 1 user|hobby|bouldering" in asked.words.messages[1]["content"]

    asked = chunk("I still go bouldering.", held=[replace(BOULDERS, position=1)])
    assert "HELD" not in asked.words.messages[1]["content"]


def test_of_what_is_held_the_talk_is_told_what_it_may_change_and_what_it_speaks_of() -> None:
    home = replace(BOULDERS, key=("user", "lives_in", None), predicate="lives_in", object="Lisbon")
    other = replace(BOULDERS, key=("user", "hobby", "brewing strong beer"), object="brewing strong beer")

    asked = chunk("I went bouldering, and I feel strong.", held=[other, BOULDERS, home])

    assert "HELD 1 user|lives_in|Lisbon; 2 user|hobby|bouldering\n" in asked.words.messages[1]["content"]


def test_the_prompt_before_sixty_turns_is_a_third_of_a_request_at_the_most() -> None:
    (asked,) = reader().plan(turns(*told(60, words=20)), [], [], [])
    prompt, talk = (tokens(message["content"]) for message in asked.words.messages)
    assert prompt * 2 < talk


@pytest.mark.parametrize(
    ("told", "halves"),
    [
        (["one", "two", "three", "four"], [["one", "two"], ["three", "four"]]),
        (["one", "two", "A: three", "A: four"], [["one"], ["two", "three", "four"]]),
        (["A: one", "A: two", "A: three", "four", "five"], [["one", "two", "three", "four"], ["five"]]),
        (["A: one", "two", "A: three", "A: four"], None),
        (["one"], None),
    ],
)
def test_each_half_of_a_request_has_a_turn_of_which_something_can_be_claimed(
    told: list[str], halves: list[list[str]] | None
) -> None:
    found = reader().halves(chunk(*told))

    assert (found and [[turn.content for turn in half.episodes] for half in found]) == halves
