"""Walks along the relations of a question, over facts told by hand, in talk, and by a pack's sentences."""

from slowwave.domain.delta import AddDelta
from slowwave.domain.episode import Episode
from slowwave.memory import MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.contract.graph.telling import encyclopaedia, known, tell

__all__ = ["encyclopaedia", "known"]


def ways(known: MemoryScope, question: str) -> list[list[str]]:
    return [[fact.text for fact in path.facts] for path in known.graph.walk(question)]


def test_a_walk_follows_the_relations_named_in_the_question(known: MemoryScope) -> None:
    known.graph.create_relationship("Anna", "Bob", "BOSS")
    known.graph.create_relationship("Bob", "Carla", "PARTNER")
    known.graph.create_relationship("Carla", "Lima", "LIVES_IN")
    known.graph.create_relationship("Anna", "Oslo", "LIVES_IN")

    (best, *_) = known.graph.walk("Where does the wife of Anna's boss live?")

    assert [fact.text for fact in best.facts] == ["Bob is Anna's boss", "Bob's partner is Carla", "Carla lives in Lima"]
    assert (best.start, best.answer.object, best.score) == ("Anna", "Lima", 1.0)
    assert ways(known, "Where does Anna live?")[0] == ["Anna lives in Oslo"]
    assert ways(known, "Where does Zoe live?") == []
    assert ways(known, "Anna?") == []


def test_a_walk_starts_at_the_asking_user_and_ends_at_a_value(known: MemoryScope) -> None:
    tell(known, "My boss is Anna Berg.")
    receipt = known.push("Anna Berg is 41 years old.", session="s1", role="user")
    known.apply(
        AddDelta(
            source_episode_ids=[str(receipt.id)], promotion_ts="2026-01-01T00:00:00Z", rule_id="r", confidence=0.9,
            fact_payload={"subject": "Anna Berg", "predicate": "age", "object": "41"},
        )
    )  # fmt: skip

    assert ways(known, "How many years old is my boss?")[0] == [
        "Anna Berg is the user's boss",
        "Anna Berg is 41 years old",
    ]


def test_a_walk_uses_the_latest_fact_and_a_packs_aliases(encyclopaedia: MemoryScope) -> None:
    tell(
        encyclopaedia,
        "The author of The Tide is Ada Lind.",
        "Ada Lind is married to Per Lind.",
        "Per Lind is a citizen of Norway.",
        "The capital of Norway is Bergen.",
        "The capital of Peru is Lima.",
    )
    asked = 'What is the capital of the country that the spouse of the author of "The Tide" is a citizen of?'
    assert ways(encyclopaedia, asked)[0][-1] == "The capital of Norway is Bergen"

    tell(encyclopaedia, "Per Lind is a citizen of Peru.", session="s2")

    assert ways(encyclopaedia, asked)[0] == [
        "The author of The Tide is Ada Lind",
        "Ada Lind is married to Per Lind",
        "Per Lind is a citizen of Peru",
        "The capital of Peru is Lima",
    ]


def test_recall_finds_the_end_of_a_relation_chain_without_shared_words(known: MemoryScope) -> None:
    known.graph.create_relationship("Anna", "Bob", "BOSS")
    known.graph.create_relationship("Bob", "Carla", "PARTNER")
    known.graph.create_relationship("Carla", "Lima", "LIVES_IN")
    known.push_many([
        Episode(content=f"The home of Anna's boss has {number} rooms", session="s1", role="user")
        for number in range(80)
    ])  # fmt: skip

    found = known.recall("Where is the home of the wife of Anna's boss?", limit=5)

    (answer,) = [one for one in found if one.text == "Carla lives in Lima"]
    assert answer.reasons["graph"] == 1.0
    assert "graph" not in known.recall("the weather", limit=1)[0].reasons


def test_predicates_of_packs_are_known_without_loading_the_packs(encyclopaedia: MemoryScope) -> None:
    parts = parts_of(encyclopaedia)

    assert parts.predicates.registered == parts.registry.registered
    assert parts.predicates.of("ceo").name == "chief_executive_officer"


def test_a_relative_is_found_by_relation_and_by_name(known: MemoryScope) -> None:
    known.graph.create_relationship("user", "Anna", "SISTER")
    known.graph.create_relationship("user's sister", "Oslo", "LIVES_IN")
    known.graph.create_relationship("Anna", "Acme", "WORKS_FOR")

    assert ways(known, "Where does my sister live?")[0][-1] == "The user's sister lives in Oslo"
    assert ways(known, "Where does my sister work?")[0] == ["Anna is the user's sister", "Anna works at Acme"]
