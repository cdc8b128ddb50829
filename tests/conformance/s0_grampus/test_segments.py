"""Grampus F3, event graphs: an agent's events in order, and consolidation after a semantic shift."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from slowwave import GraphBuilder, wiring
from slowwave.core.segments import MIN_EVENTS, THRESHOLD, ShiftRule
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.ports import Vectors
from slowwave.rules import Cadence
from slowwave.rules.cadence import SemanticShift
from slowwave.testing import move_clock
from tests.unit.tables import table

ROWS = table(__file__)

Told = Callable[..., list[Episode]]
PYTHON_ASYNC = ROWS["python_async"]
SCHEMA = ROWS["schema"]


@pytest.fixture
def alice(grampus: wiring.Parts, scope: Scope) -> MemoryScope:
    return MemoryScope(grampus, scope)


class Compass:
    """An embedder that reads the direction, in degrees, off the text."""

    space, dimensions = "compass@1", 2

    def load(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([[np.cos(np.radians(float(t))), np.sin(np.radians(float(t)))] for t in texts], np.float32)


@pytest.mark.requirement("S0.6", "S0.7")
def test_each_session_has_one_event_graph_in_order() -> None:
    builder = GraphBuilder(StaticEmbedder())
    done = [("model_call", "plan the client"), ("tool_call", "grep async"), ("memory_read", "what is async?")]
    for kind, content in done:
        builder.add({"content": content, "kind": kind, "session": "s1"})
    builder.add({"content": "hello", "session": "s2"})

    first, second = builder.graph("s1"), builder.graph("s2")
    assert first is not None
    assert second is not None
    assert [(node.position, node.kind, node.content) for node in first.nodes] == [
        (number, kind, content) for number, (kind, content) in enumerate(done, 1)
    ]
    assert [node.kind for node in second.nodes] == ["message"]


@pytest.mark.requirement("S0.8")
def test_the_event_graph_is_never_stored_and_ends_with_its_session(
    grampus: wiring.Parts, alice: MemoryScope, told: Told
) -> None:
    builder = GraphBuilder(StaticEmbedder())
    for episode in told(*PYTHON_ASYNC):
        builder.add(episode)
    builder.end("s1")
    assert builder.graph("s1") is None

    alice.push_many(told(*PYTHON_ASYNC[:4]))
    Memory(parts_of(alice)).drain()
    with grampus.database.tenant(alice.scope.tenant) as connection:
        kept = connection.exec_driver_sql("SELECT * FROM running_segments").mappings().one()
    assert {name: kept[name] for name in ("number", "first", "recent", "before")} == {
        "number": 0, "first": 1, "recent": [1, 2, 3, 4], "before": [],
    }  # fmt: skip  # where to read again after a restart, and nothing of what was said


@pytest.mark.requirement("S0.9")
def test_a_shift_of_meaning_and_not_the_clock_triggers_consolidation(
    grampus: wiring.Parts, alice: MemoryScope, told: Told, owner_url: str
) -> None:
    alice.push_many(told(*PYTHON_ASYNC))
    Memory(parts_of(alice)).drain()
    for hours in (1, 12, 23):  # after a day the backlog is processed without a further event
        move_clock(owner_url, timedelta(hours=hours))
        due_work.tick(grampus, by="scheduler@here:1")
        Memory(parts_of(alice)).drain()
        assert learned(alice) == set()

    alice.push_many(told(*SCHEMA, start=len(PYTHON_ASYNC)))
    Memory(parts_of(alice)).drain()

    assert learned(alice) == {"async functions in Python"}


@pytest.mark.requirement("S0.10", "S0.11")
@pytest.mark.parametrize("threshold", [0.30, 0.75])
def test_an_event_further_than_the_threshold_from_the_consolidated_state_is_a_shift(
    grampus: wiring.Parts, alice: MemoryScope, told: Told, threshold: float
) -> None:
    """A worker finds the topics of the document, which the test computes from the text."""
    with grampus.database.dispatch() as connection:
        usual = connection.exec_driver_sql("SELECT DISTINCT threshold FROM schedules WHERE kind = 'semantic_shift'")
        assert list(usual.scalars()) == [0.30]
    if threshold != 0.30:
        following(grampus, threshold)
    words = [*PYTHON_ASYNC, *SCHEMA, *PYTHON_ASYNC[:4], "Bread rises when the dough is warm."]
    alice.push_many(told(*words))
    Memory(parts_of(alice)).drain()

    with grampus.database.tenant(alice.scope.tenant) as connection:
        segments = connection.exec_driver_sql("SELECT last, distance FROM segments ORDER BY number").all()
    expected = topics(grampus.embedder.embed(words), threshold)
    assert [last for last, _ in segments] == [last for last, _ in expected]
    assert [distance for _, distance in segments] == pytest.approx([distance for _, distance in expected], abs=1e-5)
    assert len(expected) >= 2


def learned(alice: MemoryScope) -> set[str]:
    """Return the current facts with a predicate, without summaries, which have their own schedule."""
    return {fact.object for fact in alice.facts(form="typed") if fact.predicate != "summary"}


def following(parts: wiring.Parts, threshold: float) -> None:
    """Change the distance at which topics end."""
    shift = Cadence(semantic_shift=SemanticShift(threshold=threshold, reference="consolidated"))
    parts.watched.lifecycle = replace(parts.lifecycle, triggers={**parts.lifecycle.triggers, "consolidate": shift})
    wiring.register(parts)


def topics(vectors: Vectors, threshold: float) -> list[tuple[int, float]]:
    """Return the end of each topic, and the distance of the next event from the last consolidated state."""
    ends: list[tuple[int, float]] = []
    consolidated: list[np.ndarray] = []
    topic: list[np.ndarray] = []
    for position, vector in enumerate(vectors.astype(np.float64)):
        state = np.sum(consolidated or topic or [vector], axis=0)
        distance = 1 - float(vector @ state) / float(np.linalg.norm(vector) * np.linalg.norm(state))
        if len(topic) >= MIN_EVENTS and distance > threshold:
            ends.append((position, distance))
            consolidated, topic = topic, []
        topic.append(vector)
    return ends


@pytest.mark.requirement("S0.12")
def test_ten_messages_about_async_are_consolidated_before_the_schema_begins(
    grampus: wiring.Parts, alice: MemoryScope, told: Told
) -> None:
    alice.push_many(told(*PYTHON_ASYNC, *SCHEMA))
    Memory(parts_of(alice)).drain()
    with grampus.database.tenant(alice.scope.tenant) as connection:
        segments = connection.exec_driver_sql("SELECT first, last FROM segments ORDER BY number").all()
        windows = connection.exec_driver_sql("SELECT lo, hi FROM runs WHERE pack = 'everyday' ORDER BY run").all()

    ends = [last for _, last in segments]
    assert 10 in ends, "the event that shifts belongs to the next segment"
    assert [hi for _, hi in windows] == ends
    assert all(not lo <= 10 < hi for lo, hi in windows), "no window holds both topics"


def test_a_distance_above_030_strictly_and_configurably_is_a_semantic_shift() -> None:
    def shifts(degrees: float, rule: ShiftRule | None = None) -> bool:
        builder = GraphBuilder(Compass(), rule=rule)
        return [builder.add({"content": str(each)}) for each in (0, 0, 0, degrees)][-1] is not None

    just_below, just_above = np.degrees(np.arccos(0.7001)), np.degrees(np.arccos(0.6999))

    assert (THRESHOLD, MIN_EVENTS) == (0.30, 3)
    assert (shifts(just_below), shifts(just_above)) == (False, True)
    assert not shifts(90, ShiftRule(threshold=1.0))  # exactly the threshold
    assert shifts(90, ShiftRule(threshold=0.99))
