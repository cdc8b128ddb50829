"""Keyed digests of the words of beliefs that news may change: stored by tenant, and added where they are missing."""

import re
from collections.abc import Sequence
from datetime import timedelta

import pytest

from slowwave.core.contradiction.words import stem
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.store.fingerprints import fingerprinter
from tests.contract.harness import Harness
from tests.contract.news.harness import NOON

LONG = ["The weather is fine"] * 8
"""Texts that fill the recent past, so that no belief is found merely because it is recent."""
ALICE, ZOE = Scope("acme", "alice", "concierge"), Scope("zenith", "zoe", "concierge")


def tell(harness: Harness, scope: Scope, *told: str, first: int = 1) -> None:
    """Push and consolidate the texts one by one, a day apart."""
    for number, said in enumerate(told, first):
        at = NOON + timedelta(days=number)
        harness.learn(scope, [Episode(content=said, key=f"k{number}", session="s1", occurred_at=at)])


def found(harness: Harness, scope: Scope, word: str) -> list[str]:
    """Return the objects of the beliefs that a word finds, by the key of the scope's tenant."""
    with harness.parts.database.tenant(scope.tenant) as connection:
        digest = fingerprinter(connection).word(stem(word))
    return harness.column(
        "SELECT DISTINCT f.object FROM belief_words w JOIN facts f USING (scope, belief) WHERE w.word = %s ORDER BY 1",
        digest,
    )


def lasting(harness: Harness, scope: Scope) -> list[str]:
    """Return the objects of the facts without an end."""
    return harness.column(
        "SELECT object FROM facts WHERE scope = %s AND upper_inf(recorded) AND upper_inf(valid) ORDER BY 1", scope.id
    )


def test_beliefs_are_found_by_hashed_words(harness: Harness) -> None:
    tell(harness, ALICE, "I drive a Honda", "My boss is Karen", "I have a red bicycle")

    assert (found(harness, ALICE, "Hondas"), found(harness, ALICE, "car")) == (["Honda"], ["Honda"])
    assert (found(harness, ALICE, "boss"), found(harness, ALICE, "Karen")) == (["Karen"], ["Karen"])
    columns = harness.rows(
        "SELECT attname, atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'belief_words'::regclass "
        "AND attnum > 0 ORDER BY attname"
    )
    assert columns == [("belief", "bigint"), ("scope", "uuid"), ("tenant", "text"), ("word", "bigint")]
    kept = " ".join(str(row) for row in harness.rows("SELECT * FROM belief_words"))
    assert not re.search("hond|karen|bicycl|boss|car", kept, re.IGNORECASE)


def test_the_same_word_of_two_tenants_is_not_the_same_digest(harness: Harness) -> None:
    for scope in (ALICE, ZOE):
        tell(harness, scope, "I drive a Honda")
        assert found(harness, scope, "honda") == ["Honda"]

    mine, theirs = (
        {word for (word,) in harness.rows("SELECT word FROM belief_words WHERE tenant = %s", scope.tenant)}
        for scope in (ALICE, ZOE)
    )
    assert len(mine) == len(theirs) > 0
    assert mine.isdisjoint(theirs)


def test_a_belief_that_news_cannot_change_has_no_stored_words(harness: Harness) -> None:
    tell(harness, ALICE, "I was born in Rome", "My sister is Ana", "I drive a Honda")

    assert found(harness, ALICE, "Rome") == []
    assert found(harness, ALICE, "Honda") == ["Honda"]
    assert found(harness, ALICE, "Ana") == ["Ana"], "news of a sister means her"


def test_each_former_value_of_a_belief_is_found_by_its_words(harness: Harness) -> None:
    tell(harness, ALICE, "I live in Lisbon", "I just moved to Oslo", *LONG)

    assert found(harness, ALICE, "Oslo") == found(harness, ALICE, "Lisbon") == ["Lisbon", "Oslo"]
    tell(harness, ALICE, "I don't live in Oslo any more", first=20)
    assert lasting(harness, ALICE) == []


@pytest.mark.parametrize(
    ("told", "news", "left"),
    [
        (["I drive a Honda", "I like tea"], "I sold my car", ["tea"]),
        (["My boss is Karen", "I like tea"], "I have a new manager", ["tea"]),
    ],
)
def test_beliefs_older_than_the_word_index_are_found(
    harness: Harness, told: Sequence[str], news: str, left: list[str]
) -> None:
    tell(harness, ALICE, *told, *LONG)
    harness.rows("DELETE FROM belief_words")
    harness.rows("UPDATE beliefs SET worded = false")

    tell(harness, ALICE, news, first=20)

    assert lasting(harness, ALICE) == left


def test_a_belief_without_its_stored_words_is_not_found(harness: Harness) -> None:
    tell(harness, ALICE, "I drive a Honda", "I like tea", *LONG)
    harness.rows("DELETE FROM belief_words")

    tell(harness, ALICE, "I sold my car", first=20)

    assert lasting(harness, ALICE) == ["Honda", "tea"]


def test_a_belief_without_indexed_words_is_found_once_when_repeated(harness: Harness) -> None:
    tell(harness, ALICE, "I live in Lisbon")
    harness.rows("DELETE FROM belief_words")
    harness.rows("UPDATE beliefs SET worded = false")
    tell(harness, ALICE, "I just moved to Oslo", *LONG, "I don't live in Oslo any more", first=2)

    assert lasting(harness, ALICE) == []
    assert harness.value("SELECT count(*) FROM dead_letters") == 0
