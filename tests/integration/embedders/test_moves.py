"""A scope that moves to another embedding space answers before, during and after the move."""

import json
from collections.abc import Iterator

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.sql import SQL, Identifier

from slowwave.cli import cli
from slowwave.domain.embedding_spaces import EmbeddingSpace
from slowwave.domain.job_table import GROW, REEMBED, SUMMARISE, pack_of
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.settings import Settings
from tests.endpoint import Embeddings, serving
from tests.integration.steps import embedding, process

STATIC, OTHER = "static-minilm-256-int8@1", "small@192"
TABLES = ("episode_vectors", "fact_vectors", "entity_vectors", "vector_blocks", "tree_nodes", "goals", "consensus")
ASKED = "Which musical instrument do I practise?"


@pytest.fixture
def endpoint() -> Iterator[Embeddings]:
    static = StaticEmbedder()
    with serving(lambda texts: static.embed(texts)[:, 64:].tolist()) as endpoint:
        yield endpoint


@pytest.fixture
def before(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory with the shipped embedder."""
    with process(settings, heavy_parts) as parts:
        yield Memory(parts)


@pytest.fixture
def after(before: Memory, settings: Settings, endpoint: Embeddings, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory on the same database, whose embedder is the endpoint."""
    with embedding(settings, heavy_parts, endpoint, 192) as memory:
        yield memory


@pytest.fixture
def alice(before: Memory) -> MemoryScope:
    """A user with a memory of every kind that has a vector."""
    scope = before.scope("alice")
    scope.push("I play the cello every evening", key="e1", session="s1")
    scope.push("I live in Lisbon. My sister Nora lives in Oslo.", key="e2", session="s1")
    scope.push("☃☃", key="e3", session="s2")
    scope.push("I work at Acme", key="e4", session="s2")
    before.drain()
    scope.goals.add("find a flat in Oslo")
    scope.consensus.store_consensus({"topic": "the flat", "statement": "buy", "agents": ["a"]})
    parts = before._parts
    for job in (SUMMARISE, GROW):
        parts.schedule.fire_manually(by="test", scopes=[scope.scope.id], tenant=None, pack=pack_of(job))
        parts.schedule.fire_job(job, pack_of(job), by="test")
        before.drain()
    return scope


def spaces(superuser: psycopg.Connection) -> dict[str, dict[str, int]]:
    """Return the number of rows of each table in each space."""
    found: dict[str, dict[str, int]] = {}
    for table in TABLES:
        counted = SQL("SELECT s.name, count(*) FROM {} JOIN embedding_spaces s USING (space) GROUP BY s.name")
        found[table] = dict(superuser.execute(counted.format(Identifier(table))).fetchall())
    return found


def step(memory: Memory) -> str | None:
    """Do one run of the move; return its outcome."""
    report = due_work.run_next(memory._parts, owner="ann", only=[REEMBED])
    return None if report is None else report.outcome


def test_a_scope_answers_in_its_old_space_until_the_new_one_is_complete(
    before: Memory, after: Memory, alice: MemoryScope, superuser: psycopg.Connection
) -> None:
    digest, was = before.digest(), spaces(superuser)
    there = after.scope("alice")
    found = [(one.id, round(one.score, 5)) for one in alice.recall(ASKED)]

    assert set().union(*(in_.keys() for in_ in was.values())) == {STATIC}
    assert [(one.id, round(one.score, 5)) for one in there.recall(ASKED)] == found
    assert after.reembed() == 1
    answers = []
    while step(after) is not None:
        answers.append([(one.id, round(one.score, 5)) for one in there.recall(ASKED)])
    now = spaces(superuser)

    assert len(answers) >= 4
    assert answers[0] == found
    assert answers[-1] != found
    assert [there.recall(ASKED)[0].text, found[0][0]] == ["I play the cello every evening", answers[-1][0][0]]
    assert {table: {OTHER: sum(counts.values())} if counts else {} for table, counts in was.items()} == now
    assert after.digest() == digest
    assert after.embedding_spaces() == [EmbeddingSpace(OTHER, 192, scopes=1, coming=0, episodes=0, made=0)]
    assert there.tree.search(ASKED, 1)


def test_episodes_pushed_during_a_move_are_found_before_and_after_the_switch(
    after: Memory, alice: MemoryScope, superuser: psycopg.Connection
) -> None:
    there = after.scope("alice")
    after.reembed()
    assert step(after) == "ok"

    there.push("My bicycle is green", key="e5", session="s3")
    there.graph.store_fact("Nora", "owns", "a violin")
    run = due_work.run_next(after._parts, owner="ann", only=["prepare"])
    assert run is not None
    assert run.outcome == "ok"
    meanwhile = spaces(superuser)
    found = there.recall("bicycle?")[0]
    after.drain()

    assert meanwhile["episode_vectors"] == {
        STATIC: 5,
        OTHER: 4,
    }  # the snowmen mean nothing, and are kept in mind until all is there
    assert "embedded_at_recall" not in found.reasons
    assert spaces(superuser)["episode_vectors"] == {OTHER: 5}
    assert there.recall("bicycle?")[0].text == "My bicycle is green"
    assert spaces(superuser)["fact_vectors"].keys() == {OTHER}


def test_a_cancelled_move_changes_nothing(after: Memory, alice: MemoryScope, superuser: psycopg.Connection) -> None:
    was, there = spaces(superuser), after.scope("alice")
    after.reembed(there)
    step(after)
    half = [one.made for one in after.embedding_spaces() if one.coming]

    assert after.keep_embedding(there) == 1
    after.drain()

    assert half[0] > 0
    assert there.recall(ASKED)[0].reasons["similarity"] > 0
    assert after.keep_embedding() == 0
    assert spaces(superuser) == was


def test_statistics_say_which_moves_are_under_way_how_far_and_since_when(
    after: Memory, alice: MemoryScope, superuser: psycopg.Connection
) -> None:
    assert after.stats().moves == []
    ((before,),) = superuser.execute("SELECT slowwave_now()").fetchall()
    after.reembed()
    (began,) = after.stats().moves
    step(after)
    after.reembed()

    (move,) = after.stats().moves
    assert (began.made, began.since) == (0, move.since)
    assert (move.name, move.dimensions, move.scopes, move.made, move.episodes) == (OTHER, 192, 1, 4, 4)
    assert move.since is not None
    assert before <= move.since <= superuser.execute("SELECT slowwave_now()").fetchall()[0][0]
    (coming,) = [one for one in after.embedding_spaces() if one.coming]
    assert (coming.scopes, coming.since) == (0, move.since)

    address = {"SLOWWAVE_URL": after._parts.url}
    told = CliRunner().invoke(cli, ["stats"], env=address, catch_exceptions=False).output
    assert f"moving           1 scope to the space {OTHER} since {move.since:%Y-%m-%d %H:%M}" in told
    assert "4 of 4 episodes are embedded" in told
    plain = CliRunner().invoke(cli, ["stats", "--json"], env=address, catch_exceptions=False).output
    assert [(one["name"], one["made"], one["episodes"]) for one in json.loads(plain)["moves"]] == [(OTHER, 4, 4)]
    assert "cello" not in told + plain

    after.drain()
    assert after.stats().moves == []


def test_the_old_space_answers_while_the_new_embedder_is_unavailable(
    after: Memory, alice: MemoryScope, endpoint: Embeddings
) -> None:
    after.reembed()
    endpoint.status = 503

    assert step(after) == "unavailable"
    assert not after.scope("alice").recall(ASKED).embedder_away


def test_a_new_scope_uses_the_space_of_the_configured_embedder(
    after: Memory, alice: MemoryScope, superuser: psycopg.Connection
) -> None:
    bob = after.scope("bob")
    bob.push("I play the violin", key="e1")
    after.drain()

    assert spaces(superuser)["episode_vectors"] == {STATIC: 3, OTHER: 1}
    assert bob.recall(ASKED)[0].reasons["similarity"] > 0


def test_a_worker_of_another_embedder_does_not_run_the_move(before: Memory, after: Memory, alice: MemoryScope) -> None:
    after.reembed()

    assert step(before) == "unavailable"
