"""Aragora: consensus and dissent, the memory stream, and captured tool calls."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.core.capture import MINUTE_SECONDS, Minute
from slowwave.domain.consensus import Verdict
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Fault, Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.due_work import store_spooled
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.store.inbox import stored_episodes
from tests.conftest import NOON


@pytest.fixture
def alice(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    return Memory(parts).scope(scope.user, agent=scope.agent)


@pytest.fixture
def capturing(connected: Callable[..., wiring.Parts], scope: Scope) -> Callable[..., MemoryScope]:
    """Makes a scope of a process that captures, by these settings and by Aragora's tiers."""
    return lambda **changes: MemoryScope(connected(**{"capture_enabled": True, **changes}), scope)


def call(scope: MemoryScope, tool: str, number: int = 0, **more: Any) -> bool:
    """Return whether a call of *tool* was captured."""
    given = {"success": True, "latency_ms": 12.5, **more}
    return scope.tools.capture("s1", tool, {"path": f"f{number}"}, "content", **given) is not None


# consensus


@pytest.mark.requirement("S3.10")
def test_outcomes_and_dissent_are_kept_and_found_by_topic(alice: MemoryScope) -> None:
    agreed = alice.consensus.store_consensus(
        {"topic": "Which database do we use?", "statement": "Postgres", "agents": ["a", "b"], "confidence": 0.9}
    )
    alice.consensus.store_consensus({"topic": "What shall we cook tonight?", "statement": "pasta", "agents": ["a"]})
    against = alice.consensus.store_dissent(
        Verdict(topic="which database do WE use?", statement="SQLite", agents=("c",), reason="it is smaller")
    )

    best, *_ = alice.consensus.find_similar("Which relational database should be used?", limit=5)
    assert (best.id, best.statement, best.agents) == (agreed.id, "Postgres", ["a", "b"])
    assert best.similarity is not None
    assert 0.5 < best.similarity < 1
    assert len(alice.consensus.find_similar("database", limit=1)) == 1
    assert [p.statement for p in alice.consensus.get_dissent_for_topic(agreed.topic_hash)] == ["SQLite"]
    assert against.reason == "it is smaller"
    assert against.topic_hash == alice.consensus.topic_hash("Which  database do we use?")


def test_all_agents_of_a_user_read_a_consensus_and_other_users_do_not(alice: MemoryScope) -> None:
    alice.consensus.store_consensus({"topic": "database", "statement": "Postgres", "agents": ["a"]})
    memory, user = Memory(parts_of(alice)), alice.scope.user

    assert len(memory.scope(user, agent="another").consensus.find_similar("database")) == 1
    assert len(memory.scope(user, agent="another", channel="project").consensus.find_similar("database")) == 1
    assert memory.scope("bob").consensus.find_similar("database") == []
    assert memory.scope(user, tenant="theirs").consensus.find_similar("database") == []


def test_a_topic_without_a_vector_is_found_by_its_own_text(alice: MemoryScope) -> None:
    alice.consensus.store_consensus({"topic": "⁂⁂", "statement": "yes", "agents": ["a"]})

    assert [(p.statement, p.similarity) for p in alice.consensus.find_similar("⁂⁂")] == [("yes", 1.0)]


def test_a_verdict_is_immutable_and_kept_once(alice: MemoryScope) -> None:
    said = {"topic": "database", "statement": "Postgres", "agents": ["a"], "key": "k", "metadata": {"round": 3}}
    assert alice.consensus.store_consensus(said) == alice.consensus.store_consensus(said)

    with pytest.raises(Conflict, match="another verdict"):
        alice.consensus.store_consensus({**said, "statement": "SQLite"})
    assert [p.metadata for p in alice.consensus.find_similar("database")] == [{"round": 3}]


def test_all_problems_of_a_consensus_are_reported_at_once(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect) as caught:
        alice.consensus.store_consensus({"topic": " ", "statement": "", "agents": [], "confidence": 2})

    assert len(caught.value.problems) == 4


# the stream


@pytest.mark.requirement("S3.11")
def test_the_stream_recalls_the_newest_first_and_summarises_a_time_span(alice: MemoryScope) -> None:
    for minute, words in enumerate(["I moved to Oslo.", "I like tea.", "Oslo is cold.", "I left Oslo for Rome."]):
        alice.stream.record(words, session="s1", occurred_at=NOON + timedelta(minutes=9 - minute))
    alice.stream.record("Read f", kind="tool_call", role="tool", occurred_at=NOON)
    Memory(parts_of(alice)).drain()

    told = alice.stream.recall("What about Oslo?", limit=3)
    assert [one.text for one in told] == ["I left Oslo for Rome.", "Oslo is cold.", "I moved to Oslo."]
    assert len(alice.stream.recall("What about Oslo?", limit=1)) == 1
    assert {one.kind for one in alice.stream.recall("Oslo", limit=10)} == {"episode"}

    last_two = (NOON + timedelta(minutes=8), NOON + timedelta(minutes=9, seconds=1))
    assert alice.stream.summarize(last_two) == "user: I moved to Oslo.\nuser: I like tea."
    assert alice.stream.summarize((NOON - timedelta(days=2), NOON - timedelta(days=1))) == ""


def test_a_stream_belongs_to_one_agent(alice: MemoryScope) -> None:
    alice.stream.record("I moved to Oslo.")

    assert Memory(parts_of(alice)).scope(alice.scope.user, agent="another").stream.recall("Oslo") == []


def test_a_time_range_is_two_times_with_a_zone(alice: MemoryScope) -> None:
    for wrong in ((NOON, NOON), (NOON,), (NOON.replace(tzinfo=None), NOON)):
        with pytest.raises(Incorrect, match="time_range"):
            alice.stream.summarize(wrong)


# capturing tools


@pytest.mark.requirement("S3.31")
def test_capture_is_off_by_default(capturing: Any) -> None:
    off = capturing(capture_enabled=False)

    assert not call(off, "Read")
    assert off.tools.passed_over == {"off": 1}
    assert not Settings.load().capture_enabled
    assert call(capturing(), "Read")


@pytest.mark.requirement("S3.32")
def test_only_tools_on_the_allow_list_are_captured(capturing: Any) -> None:
    scope = capturing()

    assert Settings.load().capture_tools == "Read,Edit,Bash"
    assert [tool for tool in ("Read", "Edit", "Bash", "Write") if call(scope, tool)] == ["Read", "Edit", "Bash"]
    assert scope.tools.passed_over == {"not allowed": 1}


@pytest.mark.requirement("S3.33")
def test_tools_on_the_skip_list_are_never_captured(capturing: Any) -> None:
    scope = capturing(capture_tools="*")

    assert Settings.load().capture_skip_tools == "Grep,Glob"
    assert [tool for tool in ("Read", "Grep", "Glob", "Write") if call(scope, tool)] == ["Read", "Write"]
    assert scope.tools.passed_over == {"skipped": 2}


@pytest.mark.requirement("S3.34")
def test_capture_is_limited_to_120_calls_a_minute(capturing: Any) -> None:
    minute = Minute(Settings.load().capture_max_per_minute)
    admitted = [minute.admits(second / 4) for second in range(4 * 60)]
    assert (admitted.count(True), admitted[:120].count(True)) == (120, 120)
    assert not minute.admits(MINUTE_SECONDS - 0.01)
    assert minute.admits(MINUTE_SECONDS)

    scope = capturing(capture_max_per_minute=3)
    assert [call(scope, "Read", number) for number in range(5)] == [True, True, True, False, False]
    assert scope.tools.passed_over == {"too many": 2}
    assert scope.in_channel("another").tools.capture("s1", "Read", 1, 1, success=True, latency_ms=1) is not None


@pytest.mark.requirement("S3.35")
def test_a_captured_call_is_a_tool_episode_on_the_fast_tier(capturing: Any) -> None:
    scope = capturing(preset="aragora_hope")
    receipt = scope.tools.capture(
        "s1", "Read", {"path": "f"}, b"\x00odd", success=False, latency_ms=3, error="no such file", task="look"
    )
    with parts_of(scope).database.tenant("default") as connection:
        (episode,) = stored_episodes.window(connection, scope.scope.id, 1, 10)
        standing = connection.exec_driver_sql(
            "SELECT memory, kind, tier, base FROM standing WHERE scope = %(scope)s", {"scope": scope.scope.id}
        ).all()

    assert (episode.kind, episode.role, episode.session) == ("tool_call", "tool", "s1")
    assert episode.metadata == {
        "type": "tool_usage", "tool": "Read", "success": False, "latency_ms": 3, "error": "no such file",
        "task": "look", "input": {"path": "f"}, "output": "b'\\x00odd'",
    }  # fmt: skip
    assert [tuple(row) for row in standing] == [(receipt.id, "episodic", "fast", 0.8)]


def test_a_captured_call_and_its_tier_are_stored_in_one_transaction(
    capturing: Any, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    alone, spooling = capturing(), capturing(outbox=tmp_path / "outbox.db")
    found = (
        "SELECT count(*), count(s.memory) FROM episode_keys k "
        "LEFT JOIN standing s ON (s.scope, s.memory) = (k.scope, k.id)"
    )
    superuser.execute("ALTER TABLE standing ADD CONSTRAINT broken CHECK (false) NOT VALID")

    with pytest.raises(Fault, match="broken"):
        call(alone, "Read")
    assert superuser.execute(found).fetchall() == [(0, 0)]
    assert call(spooling, "Edit")
    assert superuser.execute(found).fetchall() == [(0, 0)]

    superuser.execute("ALTER TABLE standing DROP CONSTRAINT broken")
    store_spooled(parts_of(spooling))
    assert superuser.execute(found).fetchall() == [(1, 1)]


def test_a_repeated_tool_call_is_stored_once_and_a_long_one_is_clipped(alice: MemoryScope) -> None:
    for _ in range(2):
        alice.tools.record_invocation("s1", "t1", "Read", {"n": "x" * 5_000}, "å" * 200_000, True, 1.0, key="c1")
    with parts_of(alice).database.tenant("default") as connection:
        (episode,) = stored_episodes.window(connection, alice.scope.id, 1, 10)

    assert episode.metadata == {"tool": "Read", "success": True, "latency_ms": 1.0, "turn": "t1"}
    assert len(episode.content.encode()) < 72_000
    assert '"x' in episode.content or "xxx" in episode.content
    assert episode.content.endswith('…"}')


def test_an_outcome_ends_a_tool_attempt(alice: MemoryScope) -> None:
    alice.tools.record_invocation("s1", "t1", "search", "x", "y", True, 5.0, channel="project", task="book")
    alice.in_channel("project").tools.outcome("s1", True, task="book")
    project = alice.in_channel("project")
    Memory(parts_of(project)).drain()

    with parts_of(alice).database.tenant("default") as connection:
        kinds = [(e.kind, e.metadata.get("task")) for e in stored_episodes.window(connection, project.scope.id, 1, 10)]
    assert kinds == [("tool_call", "book"), ("outcome", "book")]
