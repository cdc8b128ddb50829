"""Explanations of a recall, and recall in ordinary chats."""

from collections.abc import Iterator

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.integration.command import Run
from tests.integration.steps import process
from tests.unit.tables import table

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
    """The same memory under each preset."""
    with process(settings, heavy_parts, preset=request.param) as parts:
        scope = pushed(parts)
        scope.consolidate()
        yield scope


def pushed(parts: Parts) -> MemoryScope:
    """Push the turns to Alice's agent."""
    scope = Memory(parts).scope("alice", agent="concierge")
    scope.push_many([Episode(content=one, session="s1", occurred_at=NOON) for one in SAID])
    return scope


def test_the_explained_parts_of_a_score_add_up_to_it(alice: MemoryScope) -> None:
    assert alice.recall(QUESTIONS[0]).explained is None
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


def test_results_of_sequential_routing_have_no_weighted_parts(parts: Parts) -> None:
    found = pushed(parts).recall("What did we discuss last time?", explain=True)

    how = found.explained
    assert how is not None
    assert {(part.name, part.adds) for parts in how.parts.values() for part in parts} == {
        ("sequential", one.score) for one in found
    }
    (stage,) = [stage for stage in how.stages if stage.name == "sequential"]
    assert (stage.memories, stage.answers) == (len(SAID), len(SAID))


def test_the_command_shows_tables(run: Run, parts: Parts) -> None:
    pushed(parts)
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


ROWS = table(__file__)
CHATS = ROWS["chats"]  # fmt: skip


def chat(agent: MemoryScope, *turns: str) -> None:
    for turn in turns:
        agent.recall(turn)
        agent.push(turn, session="s1")


@pytest.mark.parametrize(("asked", "again", "answer", "fact"), CHATS, ids=[chat[3] for chat in CHATS])
def test_the_answer_ranks_above_the_question_and_the_fact_above_both(
    parts: Parts, scope: Scope, asked: str, again: str, answer: str, fact: str
) -> None:
    agent = Memory(parts).scope(scope.user, agent=scope.agent)
    chat(agent, "It rained all day here.", asked, answer, "Can you help me plan the weekend?", again)
    chat(agent, "The ferry was late again.", asked, "Thanks, that was useful.", "I saw a film about bees.", asked)

    before = [one.text for one in agent.recall(asked)]
    agent.consolidate()
    after = [one.text for one in agent.recall(asked)]

    assert before[0] == answer
    assert fact in after[:2]
    assert after.index(fact) < after.index(answer) < min(after.index(one) for one in (asked, again) if one in after)
    assert after.count(asked) <= 1
