"""The facts on the shortest ways between entities."""

import uuid

from slowwave.core.graph.shortest_paths import connecting
from slowwave.domain.graph import RelationshipEdge


def one(name: str) -> uuid.UUID:
    return uuid.uuid5(uuid.UUID(int=0), name)


def edge(source: str, target: str) -> RelationshipEdge:
    return RelationshipEdge(
        fact=one(source + target), source=one(source), target=one(target), type="knows", weight=1, text="",
        confidence=1.0, valid_from=None, valid_to=None,
    )  # fmt: skip


EDGES = [edge("Ada", "Bob"), edge("Cid", "Bob"), edge("Cid", "Dot"), edge("Ada", "Eve"), edge("Fay", "Guy")]


def test_shortest_paths_ignore_the_direction_of_facts() -> None:
    assert connecting(EDGES, [one("Ada"), one("Cid")]) == {one("AdaBob"): 0.5, one("CidBob"): 0.5}
    assert connecting([edge("Cid", "Ada"), *EDGES], [one("Ada"), one("Cid")]) == {one("CidAda"): 1.0}


def test_unconnected_and_identical_entities_have_no_path() -> None:
    assert connecting(EDGES, [one("Ada"), one("Guy")]) == {}
    assert connecting(EDGES, [one("Ada"), one("Ada")]) == {}
    assert connecting(EDGES, [one("Ada")]) == {}


def test_a_fact_is_scored_by_its_shortest_path() -> None:
    found = connecting(EDGES, [one("Ada"), one("Bob"), one("Dot")])

    assert found == {one("AdaBob"): 1.0, one("CidBob"): 0.5, one("CidDot"): 0.5}
