"""A night, a question and a leaf that goes read the tree of their scopes, however many others there are."""

import uuid
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.bench.sample_data import fill
from slowwave.domain.job_table import GROW, pack_of
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import PRESSURE
from slowwave.memory import MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.statements import sql
from tests.contract.summaries.test_tree import night, say
from tests.module_database import harness, parts, scope, superuser, url
from tests.plans import touched

__all__ = ["harness", "parts", "scope", "superuser", "url"]

CROWD = 4_000
MINE = 17
"""Nodes of the one scope: ten sessions, and 4 + 2 + 1 above."""
TABLES = ("tree_nodes", "facts", "fact_vectors", "")


@pytest.fixture(scope="module")
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


def test_removing_a_leaf_reads_one_row_per_level(crowded: MemoryScope, url: str) -> None:
    (leaf, *_) = (node.id for node in crowded.tree.nodes() if not node.level)
    ways, rows = asked(
        url, "memory_state/remove_tree_nodes", scopes=[crowded.scope.id], leaves=[leaf], pack=pack_of(GROW)
    )

    assert ways == {"tree_nodes_pkey"}
    assert rows <= 3 * 4


def test_the_summaries_of_a_conversation_are_looked_up(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "memory_state/session_summaries", scopes=[crowded.scope.id], sessions=["s3"])

    assert ways == {"facts_summaries"}
    assert rows <= 10


def test_stored_nodes_are_compared_within_their_scope(crowded: MemoryScope, url: str) -> None:
    ways, rows = asked(url, "summaries/stored_nodes", scope=crowded.scope.id, pack=pack_of(GROW))

    assert "tree_nodes_pkey" in ways
    assert rows == MINE


def test_a_tree_is_written_by_its_own_rows(crowded: MemoryScope, url: str) -> None:
    nodes = [node.id for node in crowded.tree.nodes()]
    ways, rows = asked(
        url, "summaries/replace_tree", scope=crowded.scope.id, space=1, nodes=[*nodes[1:], uuid.uuid4()],
        levels=[0] * len(nodes), parents=[None] * len(nodes), new=[], texts=[], vectors=[], facts=[], places=[],
    )  # fmt: skip

    assert "tree_nodes_pkey" in ways
    assert "Seq Scan" not in ways
    assert rows <= 3 * MINE


@pytest.fixture(scope="module")
def tellings(crowded: MemoryScope, superuser: psycopg.Connection[Any]) -> MemoryScope:
    """The same, and what a model told of thousands of sessions of others."""
    superuser.execute(
        "INSERT INTO model_summaries (scope, about, tenant, session, reached, covered) "
        "SELECT md5((n / 50)::text)::uuid, 'session/' || n, 'default', 's' || n, n, n - n %% 2 "
        "FROM generate_series(1, %s) AS n",
        (CROWD,),
    )
    superuser.execute(
        "INSERT INTO model_summaries (scope, about, tenant, session, reached) SELECT %s, 'session/s' || n, 'default', "
        "'s' || n, 30 FROM generate_series(0, 9) AS n",
        (crowded.scope.id,),
    )
    superuser.execute("ANALYZE model_summaries")
    return crowded


def told(url: str, statement: str, **parameters: Any) -> tuple[set[str], int]:
    """Return the ways in which a statement read tellings, and how many of them it looked at."""
    found = touched(url, sql(statement), **parameters)
    looked = [(index, rows) for table, index, rows in found if table in ("model_summaries", "")]
    return {index for index, _ in looked}, sum(rows for _, rows in looked)


def test_sessions_to_summarise_are_found_by_their_own_index(tellings: MemoryScope, url: str) -> None:
    ways, rows = told(url, "summaries/open_tellings", scope=tellings.scope.id)

    assert "model_summaries_open" in ways
    assert "Seq Scan" not in ways
    assert rows <= 10


def test_model_summaries_are_read_by_subject(tellings: MemoryScope, url: str) -> None:
    ways, rows = told(url, "summaries/tellings", scope=tellings.scope.id, abouts=["session/s1", "session/s2"])

    assert "model_summaries_pkey" in ways
    assert rows <= 10


def test_erased_turns_are_searched_only_in_their_scope(tellings: MemoryScope, url: str) -> None:
    ways, rows = told(url, "summaries/reset_tellings", scope=tellings.scope.id, positions=[1, 2], requests=["r"])

    assert "Seq Scan" not in ways
    assert rows <= 30


def test_the_query_of_new_messages_starts_after_the_last_summarised_one(
    parts: wiring.Parts, url: str, superuser: psycopg.Connection[Any]
) -> None:
    bob, carl = (Scope("default", user, "concierge") for user in ("bob", "carl"))
    for one in (bob, carl):
        MemoryScope(parts, one).push_many({"content": f"word {n}", "session": "s1"} for n in range(999))
    superuser.execute("ANALYZE episodes")
    found = touched(url, sql("summaries/messages_between"), scope=carl.id, session="s1", after=990, upto=995, most=200)

    read = [(index, rows) for table, index, rows in found if table.startswith("episodes") and rows]
    assert all(index != "Seq Scan" for index, _ in read), found
    assert 0 < sum(rows for _, rows in read) <= 10


def test_evicted_turns_are_counted_within_their_scope(
    crowded: MemoryScope, url: str, superuser: psycopg.Connection[Any]
) -> None:
    superuser.execute(
        "INSERT INTO firings (schedule, scope, at_window, tenant, fired_by) SELECT %s, "
        "CASE WHEN n %% 100 = 0 THEN %s ELSE md5(n::text)::uuid END, n || '/' || 3, 'default', 'test' "
        "FROM generate_series(1, 4000) AS n",
        (PRESSURE, crowded.scope.id),
    )
    superuser.execute("ANALYZE firings")

    found = touched(url, sql("summaries/count_evicted"), schedule=PRESSURE, scope=crowded.scope.id, lo=1, hi=1000)

    assert [(table, index) for table, index, _ in found if table == "firings"] != [("firings", "Seq Scan")]
    assert sum(rows for table, _, rows in found if table == "firings") <= 40, found
