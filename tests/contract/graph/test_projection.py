"""The stored graph equals the graph rebuilt from facts after every change; `slowwave check` compares them."""

import pytest

from slowwave import wiring
from slowwave.domain.delta import AddDelta
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.statements import sql
from slowwave.store.transaction import now
from tests.contract.graph.telling import known, tell
from tests.contract.harness import Harness, withdraw
from tests.databases import heard

__all__ = ["known"]


def edges(known: MemoryScope) -> set[tuple[str, str, str]]:
    """Return the current edges."""
    graph = known.graph.load()
    return {(graph.nodes[edge.source].label, edge.type, graph.nodes[edge.target].label) for edge in graph.edges}


def sound(known: MemoryScope) -> bool:
    """Return whether every invariant holds, including those of the graph."""
    return not list(wiring.checks(parts_of(known).database).findings(folds=None))


def test_an_edge_ends_with_its_fact_and_remains_in_the_past_graph(known: MemoryScope) -> None:
    tell(known, "I moved to Lisbon")
    before = parts_of(known)
    with before.database.tenant(known.scope.tenant) as connection:
        then = now(connection)

    tell(known, "I just moved to Oslo", session="s2")

    assert edges(known) == {("user", "lives_in", "Oslo")}
    past = known.graph.query("Where do I live?", at=then)
    assert [edge.text for edge in past.edges] == ["The user lives in Lisbon"]
    assert sound(known)


def test_a_forgotten_fact_leaves_no_edge_and_no_frequency(known: MemoryScope) -> None:
    tell(known, "I live in Oslo", "I like figs")
    fact = next(fact for fact in known.facts() if fact.object == "Oslo")

    withdraw(known, fact)

    assert edges(known) == {("user", "likes", "figs")}
    assert known.graph.load().named("Oslo") is None
    assert known.graph.versions()[0].ended == 1
    assert sound(known)


def test_a_manual_fact_becomes_an_edge(known: MemoryScope) -> None:
    receipt = known.push("Ada works with Bob", session="s1", role="user")
    when = known.graph

    known.apply(
        AddDelta(
            source_episode_ids=[str(receipt.id)], promotion_ts="2026-01-01T00:00:00Z", rule_id="r", confidence=0.9,
            fact_payload={"subject": "Ada", "predicate": "works_with", "object": "Bob"},
        )
    )  # fmt: skip

    assert edges(known) == {("Ada", "works_with", "Bob")}
    assert when.versions()[0].run is None
    assert sound(known)


def test_a_name_learned_later_joins_the_earlier_edges(known: MemoryScope) -> None:
    tell(known, "I live in Oslo")
    known.graph.create_relationship("Nora", "chess", "PLAYS")
    assert known.graph.load().named("Nora") != known.graph.load().named("user")

    tell(known, "My name is Nora", session="s2")

    assert edges(known) == {("user", "lives_in", "Oslo"), ("user", "plays", "chess")}
    assert known.graph.node("Nora") == known.graph.node("user")
    assert known.graph.node("user").aliases == ("Nora",)
    assert sound(known)


def test_a_withdrawn_alias_separates_the_names_again(known: MemoryScope) -> None:
    tell(known, "My name is Nora", "I live in Oslo")
    known.graph.create_relationship("Nora", "chess", "PLAYS")
    name = next(fact for fact in known.facts() if fact.predicate == "name")

    withdraw(known, name)

    assert edges(known) == {("user", "lives_in", "Oslo"), ("Nora", "plays", "chess")}
    assert sound(known)


def test_a_repetition_adds_weight_to_an_edge_once_per_episode(known: MemoryScope) -> None:
    tell(known, "I like figs")
    tell(known, "I like figs. I really like figs.", session="s2")

    (edge,) = known.graph.load().edges
    assert edge.weight == 2
    assert sound(known)


def test_the_next_run_builds_a_missing_graph(harness: Harness, known: MemoryScope) -> None:
    tell(known, "I live in Oslo")
    harness.rows("DELETE FROM graph_versions")
    harness.rows("DELETE FROM edges")
    harness.rows("UPDATE entities SET frequency = 0")
    assert sound(known), "a database of an older version is in order"

    tell(known, "I like figs", session="s2")

    assert edges(known) == {("user", "lives_in", "Oslo"), ("user", "likes", "figs")}
    assert sound(known)


def test_all_problems_of_an_entity_are_reported_at_once(known: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="nothing is given"):
        known.graph.upsert_entity("Acme")
    with pytest.raises(Incorrect) as refused:
        known.graph.upsert_entity("Acme", properties={"1st": "x", "made": []})
    assert len(refused.value.problems) == 2
    with pytest.raises(Incorrect, match="rel_type"):
        known.graph.create_relationship("a", "b", "1ST")
    with pytest.raises(NotFound):
        known.graph.node("nobody")
    with pytest.raises(NotFound):
        known.graph.compare(1, 2)


def test_a_run_that_adds_facts_updates_edges_in_one_statement_and_names_in_another(known: MemoryScope) -> None:
    tell(known, "I live in Oslo")
    with heard() as asked:
        tell(known, "I like figs", session="s2")

    of_graph = ("lock", "project", "version", "names/vectors", "names/agreeing", "names/aliases")
    assert [name for statement in asked for name in of_graph if statement == sql(f"graph/{name}")] == [
        "names/vectors",
        "project",
    ]


def test_a_loaded_graph_and_a_single_node_agree(known: MemoryScope) -> None:
    tell(known, "My name is Nora", "I am 34 years old", "I live in Oslo", "My sister is Anna", "I like figs")
    known.graph.upsert_entity("Anna", type="person", aliases=["Annie"], properties={"age": 30})
    known.graph.create_relationship("Anna", "Oslo", "LIVES_IN")

    graph = known.graph.load()

    assert {"Oslo", "Anna", "user", "figs"} <= {node.label for node in graph.nodes.values()}
    assert [known.graph.node(id_) for id_ in graph.nodes] == list(graph.nodes.values())
    times = [node.frequency for node in graph.nodes.values()]
    assert times == sorted(times, reverse=True)
