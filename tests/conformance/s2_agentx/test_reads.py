"""AgentX: every read is audited with its session, and a key has a request rate over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowwave import wiring
from slowwave.api.app import create_app
from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.domain.job_table import SUMMARISE, pack_of
from slowwave.errors import Crowded
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.operations import Access
from slowwave.memory.verb_group import parts_of
from slowwave.store.access.rate_limit import KeyAuthentication
from tests.conftest import NOON

Read = Callable[[MemoryScope, str], object]

READS: dict[str, tuple[Read, str]] = {
    "recall": (lambda one, session: one.recall("Where do I live?", session=session), "all"),
    "facts": (lambda one, session: one.facts(session=session), "semantic"),
    "profile": (lambda one, session: one.profile(session=session), "semantic"),
    "why": (lambda one, session: one.why(one.facts()[0].id, session=session), "semantic"),
    "recent": (lambda one, session: one.recent(session=session), "episodic"),
    "unread": (lambda one, session: one.unread(session=session), "episodic"),
    "conversations": (lambda one, session: one.conversations(session=session), "episodic"),
    "conversation": (lambda one, session: one.conversation("s1", session=session), "episodic"),
    "summary": (lambda one, session: one.summary("s1", session=session), "episodic"),
    "tree.nodes": (lambda one, session: one.tree.nodes(session=session), "episodic"),
    "tree.search": (lambda one, session: one.tree.search("Oslo", session=session), "episodic"),
    "episode": (lambda one, session: one.episode("home", session=session), "episodic"),
    "timeline": (lambda one, session: one.timeline("home", session=session), "episodic"),
    "entries": (lambda one, session: one.entries(["home"], session=session), "episodic"),
    "graph.describe": (lambda one, session: one.graph.describe("Oslo", session=session), "semantic"),
    "graph.mentions": (lambda one, session: one.graph.mentions("Oslo", session=session), "episodic"),
    "tools.calls": (lambda one, session: one.tools.calls(session=session), "episodic"),
    "strategies.all": (lambda one, session: one.strategies.all(session=session), "procedural"),
    "strategies.find_strategies": (
        lambda one, session: one.strategies.find_strategies("book a flight", session=session),
        "procedural",
    ),
    "goals.list": (lambda one, session: one.goals.list(session=session), "goal"),
    "consensus.find_similar": (
        lambda one, session: one.consensus.find_similar("flights", session=session),
        "consensus",
    ),
}


@pytest.fixture
def audited(connected: Callable[..., wiring.Parts]) -> Callable[[str], MemoryScope]:
    """A scope with a memory of every kind, in an installation with this audit level."""

    def lived(level: Any) -> MemoryScope:
        parts = connected(audit=level)
        scope = Memory(parts).scope("alice", agent="concierge", channel="trip")
        scope.push("I moved to Oslo.", key="home", session="s1", occurred_at=NOON)
        scope.tools.record_invocation("s1", "t1", "search", {}, {}, True, 5)
        scope.push("Seit dem Frühling wohne ich mit meinem Bruder in Leipzig.", session="s1")
        scope.consolidate()
        parts.schedule.fire_manually(by="test", scopes=[scope.scope.id], pack=pack_of(SUMMARISE))
        scope.consolidate()
        scope.tree.grow()
        scope.strategies.learn_strategy("Search first", "book a flight", ["search"], "s1", True)
        scope.goals.add("Book a flight")
        scope.consensus.store_consensus({"topic": "flights", "statement": "Fly on Monday", "agents": ["a", "b"]})
        return scope

    return lived


def reads(scope: MemoryScope, session: str | None = None) -> list[AuditRow]:
    parts = parts_of(scope)
    return parts.records.audit("default", AuditFilter(operation="retrieve", session=session), most=100)


@pytest.mark.requirement("S2.2", "S2.3")
def test_each_read_is_audited_with_its_session_and_results(audited: Callable[[str], MemoryScope]) -> None:
    scope = audited("reads")
    for verb, (read, kind) in READS.items():
        read(scope, f"asking {verb}")

        (row,) = reads(scope, f"asking {verb}")
        assert (row.operation, row.memory_type, row.detail["verb"]) == ("retrieve", kind, verb)
        assert (row.user_id, row.source_channel, row.session_id) == ("alice", "trip", f"asking {verb}")
        assert row.result_count == len(row.affected) or (verb == "conversations" and row.result_count == 1)
        assert row.result_count, verb
        assert row.latency_ms is not None

    parts_of(scope).close()


@pytest.mark.requirement("S2.2")
def test_reads_are_audited_only_at_level_verbose(audited: Callable[[str], MemoryScope]) -> None:
    scope = audited("writes")
    for verb, (read, _) in READS.items():
        read(scope, f"asking {verb}")

    assert reads(scope) == []
    parts_of(scope).close()


def test_a_search_of_the_index_is_audited_as_a_recall(audited: Callable[[str], MemoryScope]) -> None:
    scope = audited("verbose")

    scope.search_index("Where do I live?", session="s7")

    (row,) = reads(scope, "s7")
    assert (row.query_text, row.detail["verb"]) == ("Where do I live?", "recall")
    parts_of(scope).close()


def key(parts: wiring.Parts) -> str:
    """Return a new key, for every verb."""
    return Access(parts).create("test", ["*"])[1]


@pytest.mark.requirement("S2.81")
def test_a_key_above_its_rate_gets_429_with_retry_after(parts: wiring.Parts) -> None:
    vars(parts)["gate"] = KeyAuthentication(parts.database, per_second=0.01, burst=3)
    question, headers = {"user": "nora", "question": "Where?"}, {"Authorization": f"Bearer {key(parts)}"}
    with TestClient(create_app(Memory(parts)), headers=headers) as client:
        statuses = [client.post("/v1/recall", json=question).status_code for _ in range(4)]
        answer = client.post("/v1/recall", json=question)
        other = client.post("/v1/push", json={"user": "nora", "content": "I moved to Oslo"})

    assert statuses == [200, 200, 200, 429]
    assert 1 < int(answer.headers["retry-after"]) <= 100
    assert answer.json()["title"] == "Crowded"
    assert other.status_code == 201  # each verb has a bucket of its own


@pytest.mark.requirement("S2.81")
def test_two_processes_draw_from_one_bucket(parts: wiring.Parts) -> None:
    secret = key(parts)
    gates = [KeyAuthentication(parts.database, per_second=0.001, burst=4) for _ in range(2)]

    admitted = [gate.admit(secret, "recall") for _ in range(2) for gate in gates]

    assert len(admitted) == 4
    for gate in gates:
        with pytest.raises(Crowded, match="too often"):
            gate.admit(secret, "recall")
