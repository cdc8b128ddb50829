"""Memories with an embedding endpoint, while it answers and while it is unreachable."""

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from slowwave.domain.delta import AddDelta
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.endpoint import Embeddings, serving
from tests.faults.rig.processes import until
from tests.integration.steps import embedding

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
OPEN = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND datname = current_database()"
PREPARED = "SELECT count(*) FROM episode_vectors v JOIN embedding_spaces s USING (space) WHERE s.name = 'small@256'"


@pytest.fixture
def endpoint() -> Iterator[Embeddings]:
    static = StaticEmbedder()
    with serving(lambda texts: static.embed(texts).tolist()) as endpoint:
        yield endpoint


@pytest.fixture
def remote(settings: Settings, endpoint: Embeddings, heavy_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory that calls the endpoint."""
    with embedding(settings, heavy_parts, endpoint, 256) as memory:
        yield memory


@pytest.fixture
def alice(remote: Memory) -> MemoryScope:
    scope = remote.scope("alice")
    scope.push("I play the cello every evening", key="e1")
    scope.push("My sister lives in Oslo", key="e2")
    return scope


def test_no_transaction_is_open_during_an_embedding_request(
    remote: Memory, alice: MemoryScope, endpoint: Embeddings, superuser: psycopg.Connection
) -> None:
    held: list[int] = []
    endpoint.heard = lambda: held.append(superuser.execute(OPEN).fetchall()[0][0])
    remote.drain()
    alice.recall("cello?")
    alice.graph.create_relationship("Alice", "Oslo", "visits")
    alice.graph.store_fact("Alice", "owns", "a cello")
    alice.goals.add("find a flat in Oslo")
    alice.consensus.store_consensus({"topic": "the flat", "statement": "buy", "agents": ["a"]})
    alice.graph.rebuild()
    alice.apply(
        AddDelta(
            source_episode_ids=[str(alice.scope.episode_id("e2"))], promotion_ts=NOON, rule_id="by/hand",
            confidence=1.0, fact_payload={"subject": "user", "predicate": "lives_in", "object": "Bergen"},
        )
    )  # fmt: skip

    assert held == [0] * 7


def test_recall_falls_back_to_words_while_the_embedder_is_unavailable(alice: MemoryScope, endpoint: Embeddings) -> None:
    endpoint.status = 503

    found = alice.recall("Who plays the cello?")

    assert [one.text for one in found][:1] == ["I play the cello every evening"]
    assert found.embedder_away
    assert {one.reasons["embedder_away"] for one in found} == {1.0}
    assert len(endpoint.asked) == 1


def test_an_embedder_outage_makes_no_dead_letters_and_episodes_are_prepared_afterwards(
    remote: Memory, alice: MemoryScope, endpoint: Embeddings, superuser: psycopg.Connection
) -> None:
    endpoint.status = 503
    ended = {report.outcome for report in remote.drain() if report.job == "prepare"}
    unprepared = superuser.execute(PREPARED).fetchall()
    endpoint.status = 200
    until(lambda: remote.drain() and superuser.execute(PREPARED).fetchall() == [(2,)], "both are prepared")

    assert ended == {"unavailable"}
    assert unprepared == [(0,)]
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchall() == [(0,)]
    assert not alice.recall("cello?").embedder_away


def test_a_wrong_number_of_dimensions_makes_no_dead_letters(
    remote: Memory, alice: MemoryScope, endpoint: Embeddings, superuser: psycopg.Connection
) -> None:
    endpoint.means = lambda texts: [[1.0, 0.0] for _ in texts]
    reports = alice.consolidate()
    ended = superuser.execute("SELECT DISTINCT outcome FROM runs WHERE job = 'prepare'").fetchall()

    assert ended == [("unavailable",)], reports
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchall() == [(0,)]
