"""A night, a question and a leaf that goes read the tree of their scopes, however many others there are."""

import uuid
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.bench.full_store import fill
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.memory.face import parts_of
from slowwave.store.statements import sql
from tests.contract.summaries.test_tree import night, say
from tests.plans import touched

CROWD = 4_000
MINE = 17
"""Nodes of the one scope: ten sessions, and 4 + 2 + 1 above."""
TABLES = ("tree_nodes", "facts", "fact_vectors", "")


@pytest.fixture
def crowded(parts: wiring.Parts, scope: Scope, superuser: psycopg.Connection[Any]) -> MemoryScope:
    """A scope of ten sessions among thousands of others' nodes and facts."""
    fill(parts, scopes=1, facts=CROWD)
    alice = MemoryScope(parts, scope)
    say(alice, range(10))
    night(alice)
    superuser.execute(
        "INSERT INTO tree_nodes (scope, node, tenant, level, parent, space) SELECT md5((n / 50)::text)::uuid, "
        "md5('n' || n)::uuid, 'default', 0, md5('p' || n / 3)::uuid, 1 FROM generate_series(1, %s) AS n",
        (CROWD,),
    )
    superuser.execute("ANALYZE tree_nodes, facts, fact_vectors, conversations")
    return alice


def asked(url: str, statement: str, **parameters: Any) -> tuple[set[str], int]:
    """Return the ways in which a statement read trees and facts, and how many rows of them it looked at."""
    found = touched(url, sql(statement).replace(")b", ")s"), **parameters)
    looked = [(index, rows) for table, index, rows in found if table in TABLES]
    return {index for index, _ in looked}, sum(rows for _, rows in looked)


def test_leaves_are_read_by_an_index_of_their_own(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "summaries/leaves", scope=crowded.scope.id, space=1)

    assert "facts_summaries" in ways
    assert rows <= 100, "of thousands"


def test_a_question_looks_at_the_nodes_of_its_scopes(crowded: MemoryScope, url: str) -> None:
    vector = str([1.0] * parts_of(crowded).embedder.dimensions)
    ways, rows = asked(url, "summaries/search", scopes=[crowded.scope.id], space=1, vector=vector, most=5)

    assert "tree_nodes_pkey" in ways
    assert rows <= 4 * MINE


def test_nodes_are_listed_from_their_scopes(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "summaries/nodes", scopes=[crowded.scope.id], under=None, most=100)

    assert "tree_nodes_pkey" in ways
    assert "Seq Scan" not in ways
    assert rows <= 3 * MINE


def test_a_leaf_that_goes_takes_a_look_a_level(crowded: MemoryScope, url: str) -> None:
    (leaf, *_) = (node.id for node in crowded.tree.nodes() if not node.level)
    ways, rows = asked(url, "standing/fell", scopes=[crowded.scope.id], leaves=[leaf], pack=pack_of(GROW))

    assert ways == {"tree_nodes_pkey"}
    assert rows <= 3 * 4


def test_the_summaries_of_a_conversation_are_looked_up(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "standing/summaries_of", scopes=[crowded.scope.id], sessions=["s3"])

    assert ways == {"facts_summaries"}
    assert rows <= 10


def test_what_is_kept_is_compared_within_its_scope(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "summaries/kept_nodes", scope=crowded.scope.id, pack=pack_of(GROW))

    assert "tree_nodes_pkey" in ways
    assert rows == MINE


def test_a_tree_is_written_by_its_own_rows(crowded: MemoryScope, url: str) -> None:
    nodes = [node.id for node in crowded.tree.nodes()]
    ways, rows = asked(
        url, "summaries/grow", scope=crowded.scope.id, space=1, nodes=[*nodes[1:], uuid.uuid4()],
        levels=[0] * len(nodes), parents=[None] * len(nodes), new=[], texts=[], vectors=[], facts=[], places=[],
    )  # fmt: skip

    assert "tree_nodes_pkey" in ways
    assert "Seq Scan" not in ways
    assert rows <= 3 * MINE
