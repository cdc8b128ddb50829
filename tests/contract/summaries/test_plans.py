"""Statements about the summary tree read only the trees of their scopes."""

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
from tests.contract.summaries.test_tree import night, say
from tests.module_database import harness, parts, scope, superuser, url
from tests.plans import reads

__all__ = ["harness", "parts", "scope", "superuser", "url"]

CROWD = 4_000
MINE = 17
"""The nodes of the scope: ten sessions, and 4 + 2 + 1 above them."""
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


PLANS: dict[str, tuple[str, dict[str, Any], set[str], int]] = {
    "leaves are read by an index of their own": ("summaries/leaves", {"space": 1}, {"facts_summaries"}, 100),
    "a question looks at the nodes of its scopes": (
        "summaries/search", {"space": 1, "vector": str([1.0] * 256), "most": 5}, {"tree_nodes_pkey"}, 4 * MINE,
    ),
    "nodes are listed from their scopes": (
        "summaries/nodes", {"under": None, "most": 100}, {"tree_nodes_pkey"}, 3 * MINE,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "indexes", "most"), PLANS.values(), ids=PLANS)
def test_a_statement_reads_the_tree_of_its_scope(
    crowded: MemoryScope, url: str, name: str, asked: dict[str, Any], indexes: set[str], most: int
) -> None:
    read = reads(url, name, scope=crowded.scope.id, scopes=[crowded.scope.id], **asked)

    assert indexes <= read.by(*TABLES)
    assert not read.scanned("tree_nodes")
    assert read.rows(*TABLES) <= most


def test_removing_a_leaf_reads_one_row_per_level(crowded: MemoryScope, url: str) -> None:
    (leaf, *_) = (node.id for node in crowded.tree.nodes() if not node.level)
    read = reads(url, "memory_state/remove_tree_nodes", scopes=[crowded.scope.id], leaves=[leaf], pack=pack_of(GROW))

    assert read.by(*TABLES) == {"tree_nodes_pkey"}
    assert read.rows(*TABLES) <= 3 * 4


def test_the_summaries_of_a_conversation_are_looked_up(crowded: MemoryScope, url: str) -> None:
    read = reads(url, "memory_state/session_summaries", scopes=[crowded.scope.id], sessions=["s3"])

    assert read.by(*TABLES) == {"facts_summaries"}
    assert read.rows(*TABLES) <= 10


def test_stored_nodes_are_compared_within_their_scope(crowded: MemoryScope, url: str) -> None:
    read = reads(url, "summaries/stored_nodes", scope=crowded.scope.id, pack=pack_of(GROW))

    assert "tree_nodes_pkey" in read.by(*TABLES)
    assert read.rows(*TABLES) == MINE


def test_a_tree_is_written_by_its_own_rows(crowded: MemoryScope, url: str) -> None:
    nodes = [node.id for node in crowded.tree.nodes()]
    read = reads(
        url, "summaries/replace_tree", scope=crowded.scope.id, space=1, nodes=[*nodes[1:], uuid.uuid4()],
        levels=[0] * len(nodes), parents=[None] * len(nodes), new=[], texts=[], vectors=[], facts=[], places=[],
    )  # fmt: skip

    assert "tree_nodes_pkey" in read.by(*TABLES)
    assert not read.scanned(*TABLES)
    assert read.rows(*TABLES) <= 3 * MINE


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


@pytest.mark.parametrize(
    ("name", "asked", "indexes", "most"),
    [
        ("summaries/open_summaries", {}, {"model_summaries_open"}, 10),
        ("summaries/model_summaries", {"abouts": ["session/s1", "session/s2"]}, {"model_summaries_pkey"}, 10),
        ("summaries/reset_summaries", {"positions": [1, 2], "requests": ["r"], "matching": []}, set(), 30),
    ],
)
def test_model_summaries_are_read_by_keys_of_their_scope(
    tellings: MemoryScope, url: str, name: str, asked: dict[str, Any], indexes: set[str], most: int
) -> None:
    read = reads(url, name, scope=tellings.scope.id, **asked)

    assert indexes <= read.by("model_summaries")
    assert not read.scanned("model_summaries")
    assert read.rows("model_summaries") <= most


def test_the_query_of_new_messages_starts_after_the_last_summarised_one(
    parts: wiring.Parts, url: str, superuser: psycopg.Connection[Any]
) -> None:
    bob, carl = (Scope("default", user, "concierge") for user in ("bob", "carl"))
    for one in (bob, carl):
        MemoryScope(parts, one).push_many({"content": f"word {n}", "session": "s1"} for n in range(999))
    superuser.execute("ANALYZE episodes")
    found = reads(url, "summaries/messages_between", scope=carl.id, session="s1", after=990, upto=995, most=200)

    read = [(index, rows) for table, index, rows in found.scans if table.startswith("episodes") and rows]
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

    read = reads(url, "summaries/count_evicted", schedule=PRESSURE, scope=crowded.scope.id, lo=1, hi=1000)

    assert not read.scanned("firings")
    assert read.rows("firings") <= 40, read
