"""Spellings of one object and wordings of one statement are the same belief."""

import pytest

from slowwave.core.beliefs.identity import normalised_statement
from slowwave.core.fold import Fold
from tests.unit.core.histories import claim
from tests.unit.tables import over, table

ROWS = table(__file__)


def held(*objects: str, predicate: str = "likes", single_valued: bool = False) -> tuple[list[str], list[str]]:
    """Return the held objects and the kinds of the decisions after claims about *objects* in order."""
    fold, kinds = Fold(), list[str]()
    for ordinal, one in enumerate(objects):
        told = claim(one, predicate=predicate, single_valued=single_valued, ordinal=ordinal)
        kinds += [decision.kind for decision in fold.decide(told)]
    return sorted(version.object for versions in fold.active.values() for version in versions), kinds


@over([("a dog", "dog"), ("dogs", "dog"), ("the dogs", "a dog"), ("red apples", "a red apple"), ("box", "Boxes"),
     ("berries", "berry"), ("the ocean", "ocean"), ("a child", "children"), ("old buses", "the old bus"),
     ("wives", "wife"), ("kitchen knives", "a kitchen knife"), ("to row at dawn", "rowing at dawn"),
     ("baking bread", "to bake bread"), ("to swim", "swimming"), ("to call friends", "calling friends")])  # fmt: skip
def test_an_article_a_plural_or_an_infinitive_does_not_make_a_distinct_object(one: str, other: str) -> None:
    if "B" in other:
        other = other.lower()

    assert held(one, other) == ([one], ["add", "noop"])
    assert held(other, one) == ([other], ["add", "noop"])
    assert held(one, other, single_valued=True) == ([one], ["add", "noop"])


@over([("Adam", "Adams"), ("red", "blue"), ("red shoes", "blue shoes"), ("boss", "bos"), ("hiking", "hikings"),
     ("glass", "class"), ("Paris", "Pari"), ("an ant", "ants and bees"), ("a foot", "a food"), ("news", "new"),
     ("a king", "to k"), ("king", "to king"), ("Wolves", "a wolf"), ("to row at dawn", "to row at dusk"),
     ("stopping smoking", "stopping to smoke")])  # fmt: skip
def test_similar_words_are_distinct_objects(one: str, other: str) -> None:
    assert held(one, other) == (sorted([one, other]), ["add", "add"])


@pytest.mark.parametrize(("one", "other"), ROWS["a_statement_said_again"])
def test_a_statement_said_again(one: str, other: str) -> None:
    assert normalised_statement(one) == normalised_statement(other)


@over(ROWS["a_statement_that_says_something_else"])
def test_statements_with_different_meanings_stay_distinct(one: str, other: str) -> None:
    assert normalised_statement(one) != normalised_statement(other)
