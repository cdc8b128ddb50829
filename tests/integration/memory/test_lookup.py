"""The user is asked about by name, as "I" or as "the user", whichever the facts say, and is told from their friends."""

from collections.abc import Callable

import pytest

from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts

ASKED = ["Where does Alice live?", "Where do I live?", "Where does the user live?"]
FRIENDS = ("My friend Bob lives in Rome.", "My sister lives in Porto.", "Kari lives in Bergen.")


def held(parts: Parts, name: str, *told: str, speaker: str | None = None) -> MemoryScope:
    scope = Memory(parts).scope(name)
    for sentence in told:
        scope.push(sentence, speaker=speaker)
    scope.consolidate()
    return scope


def by_speaker(parts: Parts) -> MemoryScope:
    return held(parts, "speaker", *FRIENDS, "I live in Oslo.", speaker="Alice")


def by_name(parts: Parts) -> MemoryScope:
    return held(parts, "name", "My name is Alice.", *FRIENDS, "I live in Oslo.")


def by_later_name(parts: Parts) -> MemoryScope:
    return held(parts, "later", *FRIENDS, "I live in Oslo.", "My name is Alice.")


@pytest.mark.parametrize("known", [by_speaker, by_name, by_later_name])
@pytest.mark.parametrize("question", ASKED)
def test_the_users_own_fact_ranks_above_a_friends(
    parts: Parts, known: Callable[[Parts], MemoryScope], question: str
) -> None:
    first, *others = (one for one in known(parts).recall(question, kinds=["fact"], limit=9) if "lives in" in one.text)

    assert first.text.endswith("lives in Oslo")
    assert len(others) == 3
    assert first.reasons["speaker"] == 1.0


def test_a_third_person_is_found_by_their_own_name(parts: Parts) -> None:
    known = held(parts, "nora", "My name is Alice.", "I live in Oslo.", "Nora lives in Rome.", "Kari lives in Bergen.")

    first, *_ = known.recall("Where does Nora live?", kinds=["fact"], limit=5)

    assert first.text == "Nora lives in Rome"


def test_a_question_about_a_relative_returns_the_relatives_fact(parts: Parts) -> None:
    first, *_ = by_speaker(parts).recall("Where does Alice's sister live?", kinds=["fact"], limit=5)

    assert first.text == "Alice's sister lives in Porto"
