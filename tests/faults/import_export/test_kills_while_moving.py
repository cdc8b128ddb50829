"""kill -9 at every end of a transaction of a move to another embedding space changes no result."""

from collections.abc import Sequence

import numpy as np
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE, REEMBED, pack_of
from slowwave.domain.scope import Scope
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory
from slowwave.ports import Vectors
from tests.contract.harness import Harness
from tests.faults.rig.killed import killed

pytestmark = pytest.mark.accept

EPISODES = 2_600
MADE = {
    "episodes": "SELECT position, space, md5(embedding::text) FROM episode_vectors",
    "facts": "SELECT fact, space, md5(embedding::text) FROM fact_vectors",
    "names": "SELECT entity, space, md5(embedding::text) FROM entity_vectors",
    "blocks": "SELECT block, space, md5(codes) FROM vector_blocks",
    "goals": "SELECT description, space, md5(embedding::text) FROM goals",
    "moves": "SELECT scope, space, toward FROM embedding_moves",
}


class Halved(StaticEmbedder):
    """The first half of the shipped embedder's dimensions, as a space of its own."""

    space = "halved@1"
    dimensions = 128

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = super().embed(texts)[:, :128]
        halved: Vectors = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32)
        return halved


def made(harness: Harness) -> dict[str, list[str]]:
    return {name: sorted(map(repr, harness.rows(query))) for name, query in MADE.items()}


@pytest.mark.timeout(600)
def test_a_kill_during_a_move_changes_no_result(harness: Harness, scope: Scope) -> None:
    _live_in_another_space(harness, scope)
    memory = Memory(harness.parts)
    digest = memory.digest()
    assert memory.reembed() == 1

    kills, commits = 0, 1
    while killed(harness.parts.url, REEMBED, commits):
        kills, commits = kills + 1, commits % 7 + 1
        harness.later(200)
    harness.later(200)
    harness.drain()
    disturbed = made(harness)

    ((static,),) = harness.rows("SELECT space FROM embedding_spaces WHERE name LIKE 'static%%'")
    assert kills >= 10
    assert {row.split(", ")[1] for name in MADE if name != "moves" for row in disturbed[name]} == {str(static)}
    assert len(disturbed["episodes"]) == EPISODES + 1  # including the fact that was told by hand
    assert len(disturbed["blocks"]) == EPISODES // 256
    assert min(map(len, disturbed.values())) > 0
    assert memory.digest() == digest
    assert _embedded_anew(harness, scope) == 0


def _live_in_another_space(harness: Harness, scope: Scope) -> None:
    parts = wiring.connect(harness.parts.settings.model_copy(update={"prepare_window": 5_000}))
    vars(parts).update(packs=harness.parts.packs, embedder=Halved())
    with Memory(parts) as memory:
        here = memory.scope(scope.user, agent=scope.agent)
        here.push_many(
            [Episode(content=f"I like food{number}", key=f"k{number}", session=f"s{number % 9}")
             for number in range(EPISODES)]
        )  # fmt: skip
        parts.schedule.fire_manually(by="test", scopes=[scope.id], tenant=None, pack=pack_of(PREPARE))
        memory.drain(timeout=300)
        here.goals.add("find a flat in Oslo")
        here.graph.store_fact("Nora", "owns", "a violin")


def _embedded_anew(harness: Harness, scope: Scope) -> int:
    """Return the number of vectors that differ from the embedder's vectors of the same texts."""
    embedder = harness.parts.embedder
    rows = harness.rows(
        "SELECT e.content, v.embedding::text FROM episodes e JOIN episode_vectors v USING (scope, position)"
    )
    told = np.array([np.fromstring(vector[1:-1], sep=",") for _, vector in rows])
    return int((np.abs(told - embedder.embed([text for text, _ in rows])).max(axis=1) > 1e-5).sum())
