"""A context keeps to its budget, tells everything once, and leaves out the least it can."""

import uuid
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.context import Offered, fit
from slowwave.core.context.token_budget import A_MESSAGE
from slowwave.core.tokens import tokens_at_most
from slowwave.domain.context import Part, PartType
from slowwave.errors import Incorrect

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=80) | st.sampled_from(["word " * 90, "x", "a\nb"])
COUNTS: list[Callable[[str], int]] = [tokens_at_most, len, lambda text: len(text.split()), lambda text: len(text) ** 2]
IDS = [uuid.UUID(int=number) for number in range(12)]


def parts(kind: PartType, most: int) -> st.SearchStrategy[list[Part]]:
    made = st.builds(lambda words, id_: Part(kind, words, role="user", id=id_), TEXTS, st.sampled_from(IDS))
    return st.lists(made, max_size=most, unique_by=lambda part: part.id)


OFFERED = st.builds(
    lambda turns, recalled, summary, graph: Offered((), summary[0] if summary else None, turns, recalled, graph),
    parts("turn", 8), parts("episode", 8), parts("summary", 1), parts("graph", 2),
)  # fmt: skip


@given(OFFERED, st.integers(1, 3_000), st.sampled_from(COUNTS), st.booleans())
def test_a_context_fits_its_budget_with_every_token_counter(
    offered: Offered, most: int, count: Callable[[str], int], stop: bool
) -> None:
    context = fit("q", offered, most, count, stop_at_overflow=stop)

    assert context.tokens == sum(part.tokens for part in context.parts) <= most
    assert sum(count(one["content"]) + A_MESSAGE for one in context.as_messages()) <= most
    assert count(context.as_text()) <= most


@given(OFFERED, st.integers(1, 3_000))
def test_a_context_contains_each_part_once_and_consecutive_turns_in_order(offered: Offered, most: int) -> None:
    context = fit("q", offered, most, tokens_at_most)

    said = [part.id for part in context.parts if part.type in ("turn", "episode")]
    assert len(said) == len(set(said))
    recalled = [part.id for part in context.parts if part.type == "episode"]
    turns = [part.id for part in context.parts if part.type == "turn"]
    assert turns == [part.id for part in offered.turns if part.id not in recalled][len(offered.turns) :] or (
        turns == [one.id for one in offered.turns if one.id not in recalled][-len(turns) :]
    )


@given(OFFERED)
def test_a_large_budget_leaves_nothing_out(offered: Offered) -> None:
    context = fit("q", offered, 10**6, tokens_at_most)

    told = {part.id for part in context.parts if part.type in ("turn", "episode")}
    assert context.left_out == 0
    assert told == {part.id for part in [*offered.turns, *offered.recalled]}
    assert context.summary == (offered.summary.content if offered.summary else None)


def recalled(*words: str) -> Offered:
    return Offered(recalled=[Part("fact", each, id=uuid.uuid4()) for each in words])


def words_of(text: str) -> int:
    return len(text.split())


def test_a_part_that_does_not_fit_is_skipped_and_the_next_part_is_included() -> None:
    offered = recalled("one two", "far too long to be told here at all", "three")

    going_on = fit("q", offered, 15, words_of)
    stopped = fit("q", offered, 15, words_of, stop_at_overflow=True)

    assert [part.content for part in going_on.parts] == ["one two", "three"]
    assert [part.content for part in stopped.parts] == ["one two"]
    assert (going_on.left_out, stopped.left_out) == (1, 2)


def test_the_newest_turns_take_half_of_the_budget_and_the_rest_that_memories_leave() -> None:
    turns = [Part("turn", f"turn{number}", role="user", id=uuid.uuid4()) for number in range(9)]
    memories = recalled(*[f"memory{number}" for number in range(9)]).recalled

    crowded = fit("q", Offered(turns=turns, recalled=memories), 48, words_of)
    quiet = fit("q", Offered(turns=turns, recalled=memories[:1]), 48, words_of)

    assert [part.content for part in crowded.parts] == [
        "memory0", "memory1", "memory2", "memory3", "turn5", "turn6", "turn7", "turn8",
    ]  # fmt: skip
    assert [part.content for part in quiet.parts] == ["memory0", *[f"turn{number}" for number in range(2, 9)]]


def test_fixed_parts_over_the_budget_are_refused_with_the_tokens_they_take() -> None:
    offered = Offered(fixed=[Part("system", "be very kind"), Part("tools", "[]")])

    with pytest.raises(Incorrect, match="take 12 tokens, but only 11 are allowed"):
        fit("q", offered, 11, words_of)
    assert fit("q", offered, 12, words_of).as_messages() == [{"role": "system", "content": "be very kind"}]
