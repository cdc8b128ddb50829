"""Grampus F3, memory graph: concepts merge by meaning, become schematic at five mentions, and can be walked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.bench.sample_data import fill
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.ports import Vectors
from slowwave.rules.lifecycle import load_preset
from slowwave.settings import Settings
from tests.contract.graph.telling import known, tell

__all__ = ["known"]


class Compass:
    """An embedder of directions in degrees; an unknown text has a direction of its own."""

    space, dimensions = "compass", 3

    def __init__(self, degrees: dict[str, float]) -> None:
        self.degrees = degrees

    def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the direction of each text."""
        return [self._direction(text) for text in texts]

    def _direction(self, text: str) -> Vectors:
        if text not in self.degrees:
            return np.array([0.0, 0.0, 1.0], dtype=np.float32)
        angle = np.radians(self.degrees[text])
        return np.array([np.cos(angle), np.sin(angle), 0.0], dtype=np.float32)


def repeat(known: MemoryScope) -> None:
    """Mention rowing in five sessions, which makes it a core concept."""
    for number in range(5):
        tell(known, "I like rowing", session=f"again {number}")


def connect(known: MemoryScope) -> None:
    """Connect authentication and authorization by what both deal with."""
    known.graph.create_relationship("authentication", "session tokens", "CREATES")
    known.graph.create_relationship("authorization", "session tokens", "READS")


@pytest.mark.requirement("S0.13", "S0.14")
def test_episodes_become_a_persistent_graph_of_concepts_and_typed_edges(
    grampus: wiring.Parts, settings: Settings, heavy_parts: dict[str, object], scope: Scope
) -> None:
    tell(MemoryScope(grampus, scope), "I moved to Oslo", "My sister Anna lives in Riga")
    grampus.close()

    later = wiring.connect(settings)
    vars(later).update(heavy_parts)
    graph = MemoryScope(later, scope).graph.load()
    later.close()

    assert {node.label for node in graph.nodes.values()} == {"user", "Oslo", "Anna", "Riga"}
    assert all(id_ == node.id for id_, node in graph.nodes.items())
    label = {id_: node.label for id_, node in graph.nodes.items()}
    assert {(label[edge.source], edge.type, label[edge.target]) for edge in graph.edges} == {
        ("user", "lives_in", "Oslo"), ("user", "sister", "Anna"), ("Anna", "lives_in", "Riga"),
    }  # fmt: skip


@pytest.mark.requirement("S0.15")
@pytest.mark.parametrize(("apart", "merged"), [(31.0, True), (32.5, False)])  # cosines of .857 and .843
def test_a_concept_with_similarity_85_merges_with_the_existing_one(
    grampus: wiring.Parts, scope: Scope, apart: float, merged: bool
) -> None:
    assert load_preset("grampus_f3").policies.everybody.graph.concept == 0.85
    vars(grampus)["embedder"] = Compass({"rowing": 0.0, "sculling": apart})
    alice = MemoryScope(grampus, scope)
    tell(alice, "I like rowing")
    before = alice.graph.node("rowing").frequency

    tell(alice, "I like sculling", session="s2")

    labels = {node.label for node in alice.graph.load().nodes.values()}
    assert (before, labels) == (1, {"user", "rowing"} if merged else {"user", "rowing", "sculling"})
    assert alice.graph.node("rowing").frequency == (2 if merged else 1)


def test_similar_vectors_alone_merge_no_concepts_by_default(parts: wiring.Parts, known: MemoryScope) -> None:
    vars(parts)["embedder"] = Compass({"blue": 0.0, "green": 5.0, "the canoes": 90.0, "canoe": 95.0})

    tell(known, "I like blue", "I like green", "I like canoes")
    known.graph.upsert_entity("the canoes", type="boat")
    known.graph.upsert_entity("canoe", type="boat")

    labels = {node.label for node in known.graph.load().nodes.values()}
    assert {"blue", "green"} <= labels
    assert len({"the canoes", "canoe"} & labels) == 1


@pytest.mark.requirement("S0.16")
def test_a_concept_with_five_mentions_is_schematic(known: MemoryScope) -> None:
    for number in range(1, 6):
        tell(known, "I like rowing", session=f"s{number}")
        node = known.graph.node("rowing")
        assert (node.frequency, node.metadata["category"]) == (number, "schematic" if number == 5 else "regular")


@pytest.mark.requirement("S0.17")
def test_facts_of_schematic_concepts_come_first_in_recall(grampus: wiring.Parts, scope: Scope) -> None:
    known = MemoryScope(grampus, scope)
    tell(known, "My sister Anna lives in Riga", "I like rowing")
    before = [one.text for one in known.recall("Where does Anna live? In Riga?") if one.kind == "fact"]
    repeat(known)

    after = known.recall("Where does Anna live? In Riga?")

    assert before[0] != "The user likes rowing"
    assert after[0].text == "The user likes rowing"
    assert after[0].score < after[1].score


@pytest.mark.requirement("S0.18")
def test_the_version_rises_with_every_consolidation(known: MemoryScope) -> None:
    for number, said in enumerate(["I live in Oslo", "I live in Oslo", "I just moved to Riga"], 1):
        tell(known, said, session=f"s{number}")
        assert known.graph.load().version == number

    assert [(one.version, one.added, one.confirmed) for one in known.graph.versions()] == [
        (3, 1, 0), (2, 0, 1), (1, 1, 0)
    ]  # fmt: skip
    gained, lost = known.graph.compare(1, 3)
    assert [edge.text for edge in gained] == ["The user lives in Riga"]
    assert lost == []  # a past home is still a fact


@pytest.mark.requirement("S0.39")
def test_a_graph_is_loaded_with_its_nodes_and_version(known: MemoryScope) -> None:
    tell(known, "I moved to Oslo", "I work at Acme")

    graph = known.graph.load()

    node = graph.named("Oslo")
    assert node is not None
    assert graph.nodes[node.id] == node
    assert graph.version == 1
    assert (node.label, node.description, node.frequency) == ("Oslo", "The user lives in Oslo", 1)
    assert node.metadata == {"category": "regular", "type": "place"}


@pytest.mark.requirement("S0.40")
def test_a_query_gives_core_concepts_first_and_is_printed_with_them_marked(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga", "I like rowing")
    repeat(known)

    found = known.graph.query("Who likes rowing?", top_k=5)
    lines = known.graph.format_as_context(found).splitlines()

    assert lines[0] == "Knowledge graph context:"
    assert "- rowing: The user likes rowing [core concept]" in lines
    assert "- Anna: Anna lives in Riga; Anna is the user's sister" in lines
    assert known.graph.format_as_context(known.graph.query("Qwertz?")) == ""
    categories = [node.category for node in known.graph.query("Who is Anna?", depth=2, top_k=10).nodes.values()]
    assert categories == sorted(categories, reverse=True)  # schematic before regular
    assert {"schematic", "regular"} == set(categories)


def test_a_relation_question_is_answered_by_the_path_between_both_concepts(known: MemoryScope) -> None:
    for source, kind, target in [
        ("authentication", "PART_OF", "login"), ("login", "RELATED_TO", "session"),
        ("session", "PART_OF", "authorization"), ("login", "RELATED_TO", "password"),
    ]:  # fmt: skip
        known.graph.create_relationship(source, target, kind)

    graph = known.graph.query("How does authentication relate to authorization?", depth=2, top_k=4)

    assert {node.label for node in graph.nodes.values()} == {"authentication", "login", "session", "authorization"}
    assert len(graph.edges) == 3


@pytest.mark.requirement("S0.41")
def test_twelve_thousand_nodes_of_one_agent_are_loaded_asked_and_walked(
    parts: wiring.Parts, superuser: psycopg.Connection[Any]
) -> None:
    (scope,) = fill(parts, scopes=1, facts=12_000)
    crowd = MemoryScope(parts, scope)
    assert crowd.graph.rebuild() == 12_000
    superuser.execute("ANALYZE")  # as autovacuum does, a minute later

    graph = crowd.graph.query("Who likes thing 77?", depth=2, top_k=5)

    assert {node.label for node in graph.nodes.values()} >= {"user", "thing 77"}
    assert len(crowd.graph.load().nodes) == 12_001
    (thing, *_) = crowd.graph.find("thing 77")
    near = crowd.graph.get_entity_graph([thing.id], 3, limit=1000)
    assert 40 <= len(near.nodes) <= 100  # the most important likes of the user, not all of them
    assert near.named("thing 77") is not None


@pytest.mark.requirement("S0.31")
def test_a_question_about_a_relation_is_answered_by_the_path_between_the_entities(known: MemoryScope) -> None:
    connect(known)
    known.push_many([
        Episode(content=f"Authentication and authorization, part {number}", session="s1", role="user")
        for number in range(70)
    ])  # fmt: skip

    found = known.recall("How does authentication relate to authorization?", limit=80)

    between = {one.text: one.reasons["connection"] for one in found if one.reasons.get("connection")}
    assert between == {"authentication creates session tokens": 0.5, "authorization reads session tokens": 0.5}
    flat = known.recall("authentication or authorization", limit=80)
    assert not any("connection" in one.reasons for one in flat)


@pytest.mark.requirement("S0.35")
def test_unconnected_entities_fall_back_to_matching_memories(known: MemoryScope) -> None:
    tell(known, "I live in Oslo")

    found = known.recall("How does Oslo relate to authentication?")

    assert "The user lives in Oslo" in [one.text for one in found]
    assert not any("connection" in one.reasons for one in found)


@pytest.mark.requirement("S0.5")
def test_the_graph_does_not_change_the_other_memories(known: MemoryScope, superuser: psycopg.Connection[Any]) -> None:
    tell(known, "My sister Anna lives in Riga", "I like rowing")
    known.strategies.learn_strategy("Search, then book", "book a flight", ["search", "book"], "s2", True)

    def layers() -> list[object]:
        return [
            known.digest(), [one.text for one in known.recall("Where does Anna live?", kinds=["fact"])],
            [one.content for one in known.recent()], [one.description for one in known.strategies.all()],
        ]  # fmt: skip

    before, edges = layers(), len(known.graph.load().edges)
    superuser.execute("DELETE FROM edges; DELETE FROM entity_vectors; DELETE FROM graph_versions")
    assert known.graph.load().edges == []
    assert layers() == before
    known.graph.rebuild()
    known.graph.query("Where does Anna live?")
    assert (len(known.graph.load().edges), layers()) == (edges, before)


ASKED = [
    "how is authentication to authorization?", "Why authentication, authorization?", "relationship: authentication, "
    "authorization", "Explain authentication and authorization", "Is authentication the cause of authorization?",
    "the effect of authentication on authorization", "authentication, authorization" + " and so on" * 6,
]  # fmt: skip


@pytest.mark.requirement("S0.34")
def test_a_keyword_or_eighty_characters_ask_for_the_path_between_named_entities(
    known: MemoryScope,
) -> None:
    connect(known)
    joined = {"authentication creates session tokens", "authorization reads session tokens"}

    for question in ASKED:
        between = {one.text for one in known.recall(question) if one.reasons.get("connection")}
        assert between == joined, question
    for question in ("authentication or authorization", "authentication, authorization" + " and so on" * 5):
        assert len(question) <= 80
        assert not any("connection" in one.reasons for one in known.recall(question)), question
