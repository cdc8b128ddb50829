"""The grouping of turns into requests, and their context."""

import uuid
from dataclasses import replace

import pytest

from slowwave.core.fold import Version
from slowwave.core.time_spans import Span
from slowwave.core.tokens import tokens
from slowwave.domain.model_calls import Chunk
from slowwave.rules.cases import FIRST
from slowwave.rules.model_packs.planning import BELIEF_TOKENS, TALK_TOKENS, cut
from tests.unit.core.histories import version
from tests.unit.model_packs.talks import chunk, reader, turns

BOULDERS = replace(version("bouldering", predicate="hobby", position=0), valid=Span(FIRST))


def held(predicate: str, object_: str, *, single: bool = False) -> Version:
    key = ("user", predicate, None if single else object_)
    return replace(BOULDERS, fact=uuid.uuid4(), key=key, predicate=predicate, object=object_)


def words_of(asked: Chunk) -> str:
    return asked.words.messages[1]["content"]


def told(number: int, words: int) -> list[str]:
    return ["a word " * words] * number


def test_turns_are_split_evenly_over_the_fewest_requests() -> None:
    parts = list(cut(turns(*told(200, words=25))))

    sizes = [sum(tokens(turn.content) for turn in part) for part in parts]
    assert sum(map(len, parts)) == 200
    assert len(parts) == -(-sum(sizes) // (TALK_TOKENS - 200))
    assert max(sizes) <= TALK_TOKENS
    assert max(sizes) - min(sizes) < TALK_TOKENS / 10


def test_many_short_turns_take_several_requests() -> None:
    assert len(list(cut(turns(*["Yes."] * 400)))) > 1


def test_the_prompt_shows_earlier_facts_but_not_facts_from_its_own_turns() -> None:
    asked = chunk("I still go bouldering.", held=[BOULDERS])
    assert "HELD 1 user|hobby|bouldering" in asked.words.messages[1]["content"]

    asked = chunk("I still go bouldering.", held=[replace(BOULDERS, position=1)])
    assert "HELD" not in asked.words.messages[1]["content"]


def test_the_prompt_shows_the_nearest_facts_first_and_then_single_values() -> None:
    home = held("lives_in", "Lisbon", single=True)
    other = held("hobby", "brewing strong beer")
    far = held("hobby", "knitting")

    asked = chunk("I went bouldering with Ana again, and I feel strong.", held=[far, home, BOULDERS, other])

    assert "HELD 1 user|hobby|bouldering; 2 user|hobby|brewing strong beer; 3 user|lives_in|Lisbon\n" in words_of(asked)


def test_the_prompt_shows_temporary_facts_before_single_valued_ones() -> None:
    home = held("lives_in", "Lisbon", single=True)
    passing = held("dictates", "everything at the moment")

    asked = chunk("The cast is off, finally!", held=[home, passing])

    assert "HELD 1 user|dictates|everything at the moment; 2 user|lives_in|Lisbon\n" in words_of(asked)


def test_the_prompt_shows_the_last_statements_where_there_is_room() -> None:
    earlier = replace(held("knits", "socks for everybody"), form="statement", text="Ana knits socks", position=-2)
    typing = replace(earlier, fact=uuid.uuid4(), text="The user dictates everything", position=-1)

    asked = chunk("The cast is off, finally!", held=[earlier, typing, held("lives_in", "Lisbon", single=True)])

    assert "HELD 1 user|lives_in|Lisbon; 2 The user dictates everything; 3 Ana knits socks\n" in words_of(asked)


def test_a_word_that_many_facts_share_counts_less() -> None:
    tea = [held("likes", f"green tea number {number}") for number in range(4)]
    oboe = held("plays", "the green oboe")

    asked = chunk("The green oboe is out of tune.", held=[*tea, oboe])

    assert "HELD 1 user|plays|the green oboe; 2 user|likes|green tea" in words_of(asked)


def test_the_prompt_shows_a_statement_whose_subject_is_named_by_a_synonym() -> None:
    doctor = replace(held("keeps", ""), form="statement", text="Dr Rao; my doctor, keeps bees")

    asked = chunk("My GP has moved away.", held=[doctor])

    assert "HELD 1 Dr Rao, my doctor, keeps bees\n" in words_of(asked)


def test_the_held_facts_of_a_prompt_fit_their_token_limit() -> None:
    many = [held("likes", f"tea from the garden number {number} of the old estate") for number in range(90)]

    (line,) = [one for one in words_of(chunk("Tea again!", held=many)).splitlines() if one.startswith("HELD")]

    assert BELIEF_TOKENS * 0.8 < tokens(line) <= BELIEF_TOKENS * 1.2


def test_the_instructions_take_at_most_a_third_of_a_request() -> None:
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
def test_each_half_of_a_request_has_a_turn_that_can_support_a_claim(
    told: list[str], halves: list[list[str]] | None
) -> None:
    found = reader().halves(chunk(*told))

    assert (found and [[turn.content for turn in half.episodes] for half in found]) == halves
