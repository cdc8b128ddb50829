"""A statement in other words of article, number and tense is the same one; whatever else is near it is another."""

import pytest

from slowwave.core.beliefs.statement_normalisation import normalised_statement
from slowwave.inference.static_embedder import StaticEmbedder

NEAR = 0.92
"""A cosine from which two texts might be taken for one by how near they lie."""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nora repairs an old clock", "Nora repairs the old clocks."),
        ("Nora has gone to Rome with a friend", "Nora went to Rome with friends"),
        ("Nora had painted the shed", "Nora painted a shed"),
        ("Nora has been sorting records since May", "Nora is sorting records since May"),
        ("Nora is going to paint the fence", "Nora will paint the fence"),
        ("The mice keep Nora awake", "A mouse keeps Nora awake"),
        ("Nora broke a lens", "Nora broke the lenses"),
        ("Nora stretched a canvas", "Nora stretched canvases"),
        ("Nora collects an old comic", "Nora collects old comics"),
    ],
)
def test_a_statement_said_again(one: str, other: str) -> None:
    assert normalised_statement(one) == normalised_statement(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nora likes the red car", "Nora likes the blue car"),
        ("Nora painted the doors in 2018", "Nora painted the doors in 2019"),
        ("Nora has 2 dogs", "Nora has 3 dogs"),
        ("Nora painted the shed", "Nora did not paint the shed"),
        ("Nora paints the shed", "Nora will paint the shed"),
        ("Nora painted the shed", "Nora is painting the shed"),
        ("Nora has worked at sea for years", "Nora worked at sea for years"),
        ("Nora has a few friends", "Nora has few friends"),
        ("Nora likes The Band", "Nora likes Bands"),
        ("Nora is going to Rome", "Nora will Rome"),
        ("Nora lost their keys", "Nora lost her keys"),
        ("Nora works in sales", "Nora works in a sale"),
        ("Nora studies mathematics", "Nora studies mathematic"),
        ("Nora is always early", "Nora is alway early"),
        ("Nora went home for christmas", "Nora went home for christma"),
    ],
)
def test_a_statement_that_says_something_else(one: str, other: str) -> None:
    assert normalised_statement(one) != normalised_statement(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Nora painted the door red", "Nora painted the door blue"),
        ("Nora speaks Norwegian", "Nora speaks Danish"),
        ("Nora won their first chess tournament", "Nora won their fourth chess tournament"),
    ],
)
def test_similar_statements_with_one_different_word_stay_distinct(one: str, other: str) -> None:
    here, there = StaticEmbedder().embed([one, other])

    assert here @ there >= NEAR
    assert normalised_statement(one) != normalised_statement(other)
