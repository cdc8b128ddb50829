"""AgentX, semantic memory: entities, typed relationships, walks of several hops, and search by vector."""

from dataclasses import replace

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from tests.contract.harness import Harness

TYPES = ("RELATED_TO", "PART_OF", "LOCATED_IN", "WORKS_FOR", "KNOWS", "CREATED_BY", "REFERENCES")


@pytest.fixture
def known(harness: Harness, scope: Scope) -> MemoryScope:
    return MemoryScope(harness.parts, scope)


def meaning(known: MemoryScope, text: str) -> list[float]:
    """Return the vector of *text*, as a caller with the same embedder has it."""
    return [float(part) for part in parts_of(known).embedder.embed([text])[0]]


def tell(known: MemoryScope, *said: str) -> None:
    """Say things, and let them be consolidated."""
    known.push_many([Episode(content=text, session="s1", role="user") for text in said])
    assert {report.outcome for report in known.consolidate()} == {"ok"}


@pytest.mark.requirement("S2.9")
def test_the_graph_stores_searches_and_promotes_entities_facts_and_relationships(known: MemoryScope) -> None:
    trip = replace(known.scope, channel="trip")
    acme = known.graph.upsert_entity("Acme", type="company", aliases=["Acme Corp"], channel="trip")
    edge = known.graph.create_relationship("Acme", "Oslo", "LOCATED_IN", {"since": "1990"}, channel="trip")
    fact = known.graph.store_fact("Acme", "makes", "anvils", channel="trip")
    project = MemoryScope(parts_of(known), trip)

    assert (acme.type, acme.aliases, acme.scope) == ("company", ("Acme Corp",), trip)
    assert (edge.type, edge.text, edge.properties) == ("located_in", "Acme is located in Oslo", {"since": "1990"})
    (nearest, *_) = project.graph.vector_search_facts(meaning(known, "who makes anvils"), 3)
    assert (nearest.id, nearest.text) == (fact, "Acme makes anvils")
    assert project.graph.vector_search_facts(meaning(known, "anvils"), 3, min_confidence=0.99) == []
    assert known.graph.vector_search_facts(meaning(known, "anvils"), 3, channels=["trip"])[0].id == fact
    (city, *_) = project.graph.vector_search_entities(meaning(known, "Oslo"), 1)
    assert city.label == "Oslo"
    assert city.similarity == pytest.approx(1.0, abs=1e-3)
    graph = project.graph.get_entity_graph([city.id], 1)
    assert {node.label for node in graph.nodes.values()} == {"Oslo", "Acme"}
    assert known.graph.load().nodes == {}
    project.promote(fact, reason="everybody should know")
    assert known.graph.load().named("anvils") is not None


@pytest.mark.requirement("S2.10")
def test_relationships_are_typed_and_walked_over_several_hops(known: MemoryScope) -> None:
    names = [f"Node {letter}" for letter in "ABCDEFGH"]
    for one, kind, other in zip(names, TYPES, names[1:], strict=False):
        known.graph.create_relationship(one, other, kind)
    first = known.graph.node("Node A")

    reached = [len(known.graph.get_entity_graph([first.id], depth).nodes) for depth in (1, 2, 3)]

    assert reached == [2, 3, 4]
    told = {edge.type for edge in known.graph.load().edges}
    assert told == {"works_at" if kind == "WORKS_FOR" else kind.lower() for kind in TYPES}
    (edge, *_) = known.graph.get_entity_graph([first.id], 1).edges
    (step, *_) = known.why(edge.fact).steps
    assert step.evidence[0].words == "Node A related to Node B"  # DERIVED_FROM: the source words
    about = {fact.subject for fact in known.facts()}
    assert {known.graph.node(subject).label for subject in about} == about  # ABOUT: every fact has its entity


@pytest.mark.requirement("S2.71")
def test_a_walk_is_limited_in_hops_and_edges(known: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="depth"):
        known.graph.query("anything", depth=4)
    for number in range(60):
        known.graph.create_relationship("hub", f"spoke {number}", "RELATED_TO")

    hub = known.graph.node("hub")

    assert hub.frequency == 60
    assert len(known.graph.get_entity_graph([hub.id], 3, limit=1000).nodes) == 41


@pytest.mark.requirement("S2.45")
def test_an_entity_has_the_fields_of_the_document(known: MemoryScope, harness: Harness) -> None:
    node = known.graph.upsert_entity(
        "Acme", type="company", aliases=["Acme Corp"], description="makes anvils", properties={"founded": 1920}
    )
    known.graph.get_entity_graph([node.id], 1)
    known.graph.create_relationship("Acme", "Oslo", "LOCATED_IN")
    known.graph.get_entity_graph([node.id], 1)
    write_accesses(parts_of(known))

    again = known.graph.node("Acme Corp")
    assert again.id == node.id
    assert (again.scope.user, again.scope.channel) == (known.scope.user, known.scope.channel)
    assert (again.label, again.type, again.aliases) == ("Acme", "company", ("Acme Corp",))
    assert (again.description, again.properties) == ("makes anvils", {"founded": "1920"})
    assert again.first_seen <= again.last_seen
    standing = known.standing(node.id)
    assert standing.access_count == 1  # by the relationship that was returned
    assert standing.last_access is not None
    assert parts_of(known).lifecycle.policies.of("default").decay.strength(standing, standing.used) == 1.0
    assert harness.value("SELECT count(*) FROM entity_vectors WHERE entity = %s", node.id) == 1


@pytest.mark.requirement("S4.5")
def test_relationships_become_facts_and_are_ended_but_never_deleted(known: MemoryScope, harness: Harness) -> None:
    known.graph.create_relationship("Ada", "Acme", "WORKS_FOR")
    known.graph.create_relationship("Ada", "Globex", "WORKS_FOR")

    assert [fact.object for fact in known.facts()] == ["Globex"]
    assert [edge.text for edge in known.graph.load().edges] == ["Ada works at Globex"]
    assert harness.value("SELECT count(*) FROM edges WHERE scope = %s", known.scope.id) == 2  # the old one is kept
    assert {delta.delta.kind for delta in known.deltas()} == {"add", "update"}
    writers = "SELECT count(*) FROM edges e WHERE NOT EXISTS (SELECT FROM deltas d WHERE d.id = e.fact)"
    assert harness.value(writers) == 0  # only the ledger adds edges


def test_a_repeated_triple_adds_weight_and_a_repeated_key_changes_nothing(known: MemoryScope) -> None:
    weights = [
        known.graph.create_relationship("Ada", "Bob", "KNOWS", key=key).weight for key in ("one", "two", "two", "three")
    ]

    assert weights == [1, 2, 2, 3]


def test_a_graph_query_counts_accesses_and_a_graph_load_does_not(known: MemoryScope) -> None:
    tell(known, "My sister Anna lives in Riga")
    fact = next(fact for fact in known.facts() if fact.object == "Riga")

    before = known.standing(fact.id).access_count
    known.graph.load()
    known.graph.query("Where does Anna live?", session="s9")

    assert known.standing(fact.id).access_count == before + 1


def test_a_rebuilt_graph_gives_old_names_their_vectors(known: MemoryScope, harness: Harness) -> None:
    tell(known, "I moved to Oslo")
    harness.rows("DELETE FROM entity_vectors")

    known.graph.rebuild()

    assert known.graph.vector_search_entities(meaning(known, "Oslo"), 1)[0].label == "Oslo"
    assert not list(wiring.checks(parts_of(known).database).findings(folds=None))
