"""How a question came to its answers: what each stage took, and what each measure added."""

from collections.abc import Iterator

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.conftest import NOON
from tests.integration.command import Run

STAGES = ["embed", "unprepared", "route", "graph", "connection", "scan", "fuse", "rerank", "budget", "audit"]
SAID = [
    "My sister plays the cello in a quartet.", "Where does she play?", "In the big hall beside the river.",
    "I live in Oslo.", "The cello was made in Cremona.", "Rain all week, and no cello.", "Who plays the cello, then?",
]  # fmt: skip
QUESTIONS = (
    "Who plays the cello?", "Where do I live?", "What instruments are made in Cremona?", "cello",
    "When did it rain?", "Who played the cello in March 2026?", "When did I live in Oslo in 2026?",
)  # fmt: skip


@pytest.fixture(params=["default", "stargraph_v1", "agentx", "aragora_hope", "reploid_0x68"])
def alice(request: pytest.FixtureRequest, settings: Settings, heavy_parts: dict[str, object]) -> Iterator[MemoryScope]:
    """Somebody who lives by each preset."""
    parts = wiring.connect(settings.model_copy(update={"preset": request.param}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    with Memory(parts) as memory:
        scope = memory.scope("alice", agent="concierge")
        scope.push_many([Episode(content=one, session="s1", occurred_at=NOON) for one in SAID])
        scope.consolidate()
        yield scope


def test_the_explained_parts_of_a_score_add_up_to_it(alice: MemoryScope) -> None:
    for question in QUESTIONS:
        found = alice.recall(question, explain=True)
        how = found.explained
        assert how is not None

        matches = {one.id: one.match for one in found}
        assert {id_: sum(part.adds for part in parts) for id_, parts in how.parts.items()} == pytest.approx(matches)
        assert sum(measure.share for measure in how.measures) == pytest.approx(1)
        assert [stage.name for stage in how.stages] == STAGES
        assert all(stage.milliseconds >= 0 for stage in how.stages)
        assert found
        assert all(part.value <= 1 for parts in how.parts.values() for part in parts)


def test_recall_without_explain_returns_no_explanation(alice: MemoryScope) -> None:
    assert alice.recall(QUESTIONS[0]).explained is None


def test_results_of_sequential_routing_have_no_weighted_parts(parts: wiring.Parts) -> None:
    scope = Memory(parts).scope("alice", agent="concierge")
    scope.push_many([Episode(content=one, session="s1", occurred_at=NOON) for one in SAID])

    found = scope.recall("What did we discuss last time?", explain=True)

    how = found.explained
    assert how is not None
    assert {(part.name, part.adds) for parts in how.parts.values() for part in parts} == {
        ("sequential", one.score) for one in found
    }
    (stage,) = [stage for stage in how.stages if stage.name == "sequential"]
    assert (stage.memories, stage.answers) == (len(SAID), len(SAID))


def test_the_command_shows_tables(run: Run, parts: wiring.Parts) -> None:
    scope = Memory(parts).scope("alice", agent="concierge")
    scope.push_many([Episode(content=one, session="s1", occurred_at=NOON) for one in SAID])
    asked = ("recall", QUESTIONS[0], "--user", "alice", "--agent", "concierge", "--limit", "2", "--explain")

    lines = run(*asked).out.splitlines()
    told = run(*asked, "--json").json

    heads = [line.split() for line in lines]
    for head in (["stage", "ms", "memories", "answers"], ["measure", "memories", "contribution"],
                 ["answer", "measure", "weight", "value", "adds"]):  # fmt: skip
        assert head in heads
    assert [line[0] for line in heads if line and line[0] in STAGES] == STAGES
    assert ["1", "similarity", "0.26"] in [line[:3] for line in heads]
    assert [stage["name"] for stage in told["stages"]] == STAGES
    parts_told = told["parts"][told["answers"][0]["id"]]
    assert sum(part["adds"] for part in parts_told) == pytest.approx(told["answers"][0]["match"])
