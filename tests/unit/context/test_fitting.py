"""Contexts fit their token budget, and token estimates are never too low."""

import unicodedata
import uuid
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.context import Offered, fit
from slowwave.core.tokens import A_MESSAGE, tokens, tokens_at_most
from slowwave.domain.context import Part, PartType
from slowwave.errors import Incorrect
from slowwave.inference.static_embedder import WEIGHTS, _Table
from tests.unit.growth import AT_MOST, growth
from tests.unit.tables import table

ROWS = table(__file__)
SAMPLES = ROWS["samples"]


@pytest.fixture(scope="module")
def shipped() -> Callable[[str], int]:
    """Return the number of tokens by the shipped tokenizer."""
    tokenizer = _Table(WEIGHTS)._tokens
    return lambda text: len(tokenizer(text))


PIECES = st.sampled_from(SAMPLES) | st.sampled_from([word for sample in SAMPLES for word in sample.split()])


@given(st.lists(PIECES, min_size=3, max_size=30), st.sampled_from([" ", "\n", ", "]))
def test_the_estimate_is_never_below_the_shipped_tokenizers_count(
    shipped: Callable[[str], int], pieces: list[str], between: str
) -> None:
    text = between.join(pieces)

    assert tokens_at_most(text) >= shipped(text)


@pytest.mark.parametrize("text", ["I lohikeittoa", "for, pyszny, oturup", '昨天我们搬到了河边的新公寓。 I "ids":'])
def test_one_english_word_does_not_make_a_line_english(shipped: Callable[[str], int], text: str) -> None:
    assert tokens_at_most(text) >= shipped(text)


@given(st.text(st.characters(exclude_categories=["Ll", "Lu", "Lm", "Mn", "Cs"]), max_size=200))
def test_characters_of_no_language_are_counted_one_by_one(shipped: Callable[[str], int], text: str) -> None:
    assert tokens_at_most(text) >= shipped(text) - len(text) // 2


@pytest.mark.parametrize("text", SAMPLES)
def test_each_script_is_counted_high_but_not_above_its_characters(shipped: Callable[[str], int], text: str) -> None:
    letters = unicodedata.normalize("NFD", text)

    assert shipped(text) <= tokens_at_most(text) <= len(letters)


def test_english_talk_is_counted_at_most_half_as_much_again(shipped: Callable[[str], int]) -> None:
    talk = " ".join(SAMPLES[:2]) * 50

    assert shipped(talk) <= tokens_at_most(talk) <= 1.5 * shipped(talk)
    assert tokens(talk) < tokens_at_most(talk)


def test_a_text_takes_as_many_tokens_as_its_lines() -> None:
    assert tokens_at_most("\n".join(SAMPLES)) == sum(map(tokens_at_most, SAMPLES))


def test_a_prompt_of_400000_characters_takes_twice_as_long_to_count_as_one_of_200000() -> None:
    assert len(prompt(1)) == pytest.approx(200_000, rel=0.01)
    assert growth(tokens_at_most, prompt, 1, 2) <= AT_MOST


def prompt(size: int) -> str:
    return "Be kind to the user. " * (9_500 * size)


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
