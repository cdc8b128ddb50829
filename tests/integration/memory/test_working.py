"""Working memory on a real Redis: each turn is stored as an episode at once, and stays in memory while it fits."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from slowwave.cache import RedisCache, key
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import ActiveGoal, Conversation, Limits, Part
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.errors import Conflict, Incorrect, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.memory.working_memory import WorkingMemory, turns_of
from slowwave.settings import Settings
from slowwave.store.inbox.stored_episodes import window
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.contract.harness import at_once
from tests.scripts import script


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    return mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")


@pytest.fixture
def client(cache_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(cache_url, decode_responses=True) as connection:
        yield connection


def episodes(alice: MemoryScope) -> list[StoredEpisode]:
    with parts_of(alice).database.tenant(alice.scope.tenant) as connection:
        return window(connection, alice.scope.id, 1, 10_000)


def small(alice: MemoryScope, turns: int = 4, conversation: str = "s1", **changes: Any) -> WorkingMemory:
    """Return a working memory for a few turns, with another cache or another connection to Postgres."""
    own = turns_of(parts_of(alice), alice.scope, conversation)
    return WorkingMemory(replace(own, limits=Limits(turns=turns), **changes))


SAID = [f"turn {number}" for number in range(6)]


def in_mind(memory: WorkingMemory) -> list[str]:
    return [turn.content for turn in memory.get_recent_turns()]


def talk(memory: WorkingMemory, *numbers: int) -> None:
    """Add turns with these *numbers*."""
    for number in numbers:
        memory.add_turn(f"turn {number}")


def said(alice: MemoryScope) -> list[str]:
    """Return the contents of the stored episodes."""
    return [episode.content for episode in episodes(alice)]


def firings(alice: MemoryScope) -> list[str]:
    with parts_of(alice).database.tenant(alice.scope.tenant) as connection:
        found = connection.exec_driver_sql(
            "SELECT split_part(at_window, '/', 1) FROM firings "
            "WHERE schedule = 'summarise/token_pressure' AND scope = %(scope)s "
            "ORDER BY split_part(at_window, '/', 1)::bigint",
            {"scope": alice.scope.id},
        )
        return list(found.scalars())


# turns and evictions


def test_a_turn_is_stored_unchanged_and_stays_in_working_memory_while_it_fits(alice: MemoryScope) -> None:
    memory = small(alice)
    words = "  It's 5 o'clock;\n\"übermorgen\" — 東京\tat\r\nnoon "

    memory.add_turn(words, role="assistant", occurred_at=NOON, metadata={"speaker": "Ann", "n": [1, {"a": None}]})
    talk(memory, 0, 1, 2, 3)

    first, *others = episodes(alice)
    assert (first.content, first.role, first.occurred, first.session) == (words, "assistant", NOON, "s1")
    assert (first.metadata, first.kind) == ({"speaker": "Ann", "n": [1, {"a": None}]}, "message")
    assert [episode.content for episode in others] == [f"turn {number}" for number in range(4)]
    assert in_mind(memory) == ["turn 1", "turn 2", "turn 3"]


def test_concurrent_turns_are_stored_once_and_the_newest_are_in_working_memory(alice: MemoryScope) -> None:
    texts = [f"message {number}" for number in range(60)]
    talkers = [small(alice, turns=6) for _ in range(6)]

    done = at_once([lambda n=n: [talkers[n].add_turn(words) for words in texts[n::6]] for n in range(6)])  # type: ignore[misc]  # a default binds n

    assert [each for each in done if isinstance(each, Exception)] == []
    kept, logged = in_mind(talkers[0]), said(alice)
    assert sorted(logged) == sorted(texts)
    assert 0 < len(kept) <= 6
    assert kept == logged[-len(kept) :]


@pytest.mark.parametrize("dies_at", ["push", "ask", "remove"])
def test_an_eviction_that_dies_half_way_is_repeated_safely(alice: MemoryScope, cache_url: str, dies_at: str) -> None:
    """An unhandled error before or after a step stands for the death of the process."""

    class Died(BaseException): ...

    def die(*_: object) -> Any:
        raise Died

    def push_and_die(*arguments: Any) -> Any:
        parts_of(alice).push(*arguments)
        raise Died

    class Dying(RedisCache):
        def remove(self, of: Conversation, part: Part, ids: Sequence[str]) -> int:
            raise Died

    memory = small(alice)
    doomed = {
        "push": small(alice, push=push_and_die),
        "ask": small(alice, ask=die),
        "remove": small(alice, cache=Dying(cache_url)),
    }[dies_at]
    talk(memory, 0, 1, 2, 3)
    with pytest.raises(Died):
        doomed.add_turn("turn 4")

    memory.add_turn("turn 5")

    assert said(alice) == SAID
    assert in_mind(memory) == SAID[2:]
    assert firings(alice) == ["2"]


KILLED = script(__file__, "killed_agent.txt")


@pytest.mark.accept
def test_an_agent_killed_between_episode_and_copy_loses_and_doubles_nothing(
    alice: MemoryScope, url: str, cache_url: str
) -> None:
    killed(alice, url, cache_url, "append")
    assert said(alice) == ["turn 0"]
    assert in_mind(small(alice)) == ["turn 0"]

    small(alice).add_turn("turn 1")
    assert in_mind(small(alice)) == SAID[:2] == said(alice)


@pytest.mark.accept
def test_an_agent_killed_before_the_eviction_repeats_request_and_eviction(
    alice: MemoryScope, url: str, cache_url: str
) -> None:
    killed(alice, url, cache_url, "remove")
    assert in_mind(small(alice)) == said(alice) == SAID[:5]

    small(alice).add_turn("turn 5")

    assert said(alice) == SAID
    assert in_mind(small(alice)) == SAID[2:]
    assert firings(alice) == ["2"]


def killed(alice: MemoryScope, url: str, cache_url: str, step: str) -> None:
    """Let an agent add five turns and die in a step of its cache."""
    arguments = [sys.executable, "-c", KILLED, url, cache_url, alice.scope.user, step]
    died = subprocess.run(arguments, timeout=60, check=False, capture_output=True, text=True)
    assert died.returncode == -signal.SIGKILL, died.stderr


def test_turns_stay_in_working_memory_until_a_summary_can_be_requested(
    alice: MemoryScope, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object) -> Any:
        raise Unavailable("Postgres is unreachable")

    memory = small(alice)
    for number in range(6):
        small(alice, ask=away).add_turn(f"turn {number}")
    assert in_mind(memory) == SAID
    assert "5 turns can be neither evicted nor restored yet: Unavailable" in caplog.text

    memory.add_turn("turn 6")

    assert in_mind(memory) == ["turn 4", "turn 5", "turn 6"]
    assert len(episodes(alice)) == 7


def test_a_turn_above_the_limit_is_stored_but_not_cached(alice: MemoryScope) -> None:
    alice.working("s1").add_turn("x" * 40_000)

    assert in_mind(alice.working("s1")) == []
    assert len(episodes(alice)[0].content) == 40_000


def test_the_log_of_an_eviction_contains_no_words(alice: MemoryScope, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    memory = small(alice)
    for number in range(5):
        memory.add_turn(f"secret {number}")

    assert "Evicted 2 messages, summary asked for" in caplog.messages
    assert "secret" not in caplog.text


def test_the_same_turn_by_the_same_key_is_kept_once(alice: MemoryScope) -> None:
    memory = small(alice)
    for _ in range(2):
        for number in (0, 1, 1):
            memory.add_turn(f"turn {number}", key=f"k{number}")
        assert in_mind(memory) == SAID[:2]
        for number in (2, 3, 4):
            memory.add_turn(f"turn {number}", key=f"k{number}")
        memory.clear_session()

    assert said(alice) == SAID[:5]


def test_a_turn_without_a_time_was_said_when_it_was_added(alice: MemoryScope, client: "redis.Redis") -> None:
    seconds, micros = client.time()
    turn = alice.working("s1").add_turn("hello")

    (episode,) = episodes(alice)
    assert turn.episode.occurred_at is not None
    assert seconds + micros / 1e6 <= episode.occurred.timestamp() <= turn.episode.occurred_at.timestamp()
    assert episode.occurred == episode.received


# retention in the cache


def test_clearing_a_session_keeps_its_episodes(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    memory.add_turn("I moved to Oslo")
    memory.push_thought("she moved")
    memory.set("note", 1)
    memory.set_active_goal("g", "help her")

    assert memory.clear_session() == 1

    assert said(alice) == ["I moved to Oslo"]
    context = memory.get_context()
    assert (context.turns, context.thoughts, context.values, context.goal) == ([], [], {}, None)


def test_a_cleared_session_starts_empty_even_after_cache_loss(alice: MemoryScope, client: "redis.Redis") -> None:
    memory = alice.working("s1")
    memory.add_turn("I moved to Oslo")
    memory.clear_session()
    memory.add_turn("It rains")
    client.delete(key(memory.of, "turns"))
    assert in_mind(memory) == ["It rains"]

    client.delete(key(memory.of, "turns"))
    memory.add_turn("It snows")
    assert in_mind(memory) == ["It rains", "It snows"]


def test_working_memory_expires_in_an_hour_and_a_value_after_its_ttl(alice: MemoryScope, client: "redis.Redis") -> None:
    memory = alice.working("s1")
    memory.set_active_goal("g", "help her")
    memory.set("hour", 1)
    memory.set("minute", 1, ttl_seconds=60)
    client.pexpire(key(memory.of, "goal"), 10)
    memory.push_thought("she moved")
    memory.add_turn("hello")

    left = {str(name).rpartition(":s1:")[2]: client.pttl(name) for name in client.keys("*")}
    hour = {part for part, milliseconds in left.items() if 3_590_000 < milliseconds <= 3_600_000}
    assert hour == {"turns", "thoughts", "goal", "context", "context:hour"}
    assert 50_000 < left["context:minute"] <= 60_000


def test_an_expired_value_is_not_returned(alice: MemoryScope, client: "redis.Redis") -> None:
    memory = alice.working("s1")
    memory.set("short", "a", ttl_seconds=0.001)
    memory.set("long", "b")
    while client.exists(key(memory.of, "context") + ":short"):
        pass

    assert memory.get("short", "nothing") == "nothing"
    assert memory.get_context().values == {"long": "b"}


def test_tenants_and_agents_have_separate_working_memories(mindful: Memory) -> None:
    minds = {
        f"{tenant} {agent}": mindful.scope("alice", tenant=tenant, agent=agent).working("s1")
        for tenant in ("one", "two")
        for agent in ("a", "b")
    }
    for name, memory in minds.items():
        memory.add_turn(name)

    assert {name: in_mind(memory) for name, memory in minds.items()} == {name: [name] for name in minds}


def test_the_latest_goal_and_thoughts_are_returned(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    memory.set_active_goal("g1", "book a hotel")
    memory.set_active_goal("g1", "book a cheap hotel")
    for number in range(60):
        memory.push_thought(f"thought {number}")

    assert memory.get_active_goal() == ActiveGoal("g1", "book a cheap hotel")
    assert memory.get_thoughts(2) == ["thought 58", "thought 59"]
    assert len(memory.get_thoughts()) == 50


# evictions by the cache


def expired(client: "redis.Redis", memory: WorkingMemory) -> None:
    name = key(memory.of, "turns")
    client.pexpire(name, 1)
    while client.exists(name):
        pass


def flushed(client: "redis.Redis", memory: WorkingMemory) -> None:
    del memory
    client.flushall()


@pytest.mark.parametrize("forget", [expired, flushed])
def test_a_flushed_cache_is_refilled_without_loss_or_duplicates(
    alice: MemoryScope, client: "redis.Redis", forget: Callable[["redis.Redis", WorkingMemory], None]
) -> None:
    memory = alice.working("s1")
    for words in SAID[:2]:
        memory.add_turn(words, metadata={"speaker": "Ann"})
    forget(client, memory)
    assert in_mind(memory) == SAID[:2]
    assert client.exists(key(memory.of, "turns")) == 1

    forget(client, memory)
    memory.add_turn(SAID[2])
    assert in_mind(memory) == SAID[:3]
    assert said(alice) == SAID[:3]
    assert memory.get_recent_turns()[0].episode.speaker == "Ann"


def test_a_refilled_cache_contains_only_turns_of_its_unexpired_conversation(
    alice: MemoryScope, client: "redis.Redis", superuser: psycopg.Connection
) -> None:
    for words in ("one", "two"):
        for session in ("s1", "s2"):
            alice.store_turn(f"{words} {session}", session=session)
    alice.push("looked up", session="s1", kind="tool_call", role="tool")
    client.flushall()
    assert in_mind(alice.working("s1")) == ["one s1", "two s1"]

    alice.consolidate()
    superuser.execute("UPDATE conversations SET tombstoned = slowwave_now() WHERE session = 's1'")
    client.flushall()
    assert (in_mind(alice.working("s1")), in_mind(alice.working("s2"))) == ([], ["one s2", "two s2"])


def test_a_turn_is_stored_and_cached_and_recallable_at_once(alice: MemoryScope) -> None:
    receipt = alice.store_turn("I moved to Oslo", session="s1", key="k1")

    assert (receipt.state, receipt.position) == ("stored", 1)
    assert in_mind(alice.working("s1")) == ["I moved to Oslo"]
    assert [one.text for one in alice.recall("who moved?")] == ["I moved to Oslo"]
    again = [
        alice.push("I moved to Oslo", session="s1", key="k1"),
        alice.store_turn("I moved to Oslo", session="s1", key="k1"),
    ]
    assert [(one.id, one.repeated) for one in again] == [(receipt.id, True)] * 2
    alice.working("s1").add_turn("I moved to Oslo", key="k1")
    assert in_mind(alice.working("s1")) == ["I moved to Oslo"] == said(alice)


def test_a_pushed_message_joins_working_memory_with_the_next_turn(alice: MemoryScope) -> None:
    alice.working("s1").add_turn("turn 0")
    alice.push("turn 1", session="s1")
    alice.push("elsewhere", session="s2")
    alice.working("s1").add_turn("turn 2")

    assert in_mind(alice.working("s1")) == SAID[:3]


def test_a_turn_without_a_cache_is_stored_alone(parts: Parts, scope: Scope) -> None:
    alice = Memory(parts).scope(scope.user)

    assert alice.store_turn("hello", session="s1").state == "stored"
    assert [one.text for one in alice.recall("hello")] == ["hello"]


def test_a_turn_must_be_a_message_with_a_free_key(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="kind: expected message"):
        alice.store_turn("looked up", kind="tool_call", role="tool")
    alice.store_turn("hello", session="s1", key="k")
    with pytest.raises(Conflict):
        alice.working("s1").add_turn("bye", key="k")
    assert in_mind(alice.working("s1")) == ["hello"]


@pytest.mark.accept
def test_a_turn_during_an_outage_is_spooled_or_refused(
    mortal_postgres: PostgresServer, connected: Callable[..., Parts], cache_url: str, tmp_path: Path
) -> None:
    user = f"alice-{uuid.uuid4().hex[:8]}"
    bold, safe = (
        Memory(connected(cache_url=cache_url, **settings)).scope(user)
        for settings in ({}, {"outbox": tmp_path / "box"})
    )
    safe.store_turn("turn 0", session="s1")
    mortal_postgres.kill()
    assert safe.store_turn("turn 1", session="s1").state == "spooled"
    with pytest.raises(Unavailable):
        bold.working("s1").add_turn("in the cache alone")
    assert in_mind(bold.working("s1")) == SAID[:2]

    mortal_postgres.start()
    safe.consolidate()
    bold.working("s1").add_turn("turn 2")
    assert in_mind(bold.working("s1")) == SAID[:3] == said(bold)
    assert [turn.position for turn in bold.working("s1").get_recent_turns()] == [1, 2, 3]


# refused input and unreachable servers


def test_an_invalid_turn_is_refused(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="is empty"):
        alice.working("s1").add_turn(" ")
    with pytest.raises(Incorrect, match="white space"):
        alice.working("s1 ")
    assert in_mind(alice.working("s1")) == []


def test_all_problems_of_a_value_are_reported_at_once(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect) as caught:
        alice.working("s1").set("", {1, 2}, ttl_seconds=0)

    assert len(caught.value.problems) == 3


@pytest.mark.accept
def test_a_cache_outage_loses_only_cached_values_and_no_turn(alice: MemoryScope, cache_server: RedisServer) -> None:
    memory = alice.working("s1")
    memory.add_turn("turn 0")
    cache_server.freeze()
    try:
        memory.add_turn("turn 1")
        assert in_mind(memory) == SAID[:2] == said(alice)
        for ask in (memory.get_context, memory.get_thoughts, memory.clear_session):
            with pytest.raises(Unavailable, match="the cache does not answer"):
                ask()
    finally:
        cache_server.thaw()

    memory.add_turn("turn 2")
    assert in_mind(memory) == SAID[:3]


def test_working_memory_without_a_cache_raises_unavailable(parts: Parts, scope: Scope) -> None:
    with pytest.raises(Unavailable, match="there is no cache"):
        Memory(parts).scope(scope.user).working("s1")


def test_pushing_needs_no_cache(alice: MemoryScope, cache_server: RedisServer) -> None:
    cache_server.freeze()

    assert alice.push("hello").state == "stored"


def test_settings_limit_the_size_and_lifetime_of_working_memory(mindful: Memory) -> None:
    assert mindful.scope("alice").working("s1").limits == Limits(tokens=8_000, turns=50, seconds=3_600)
    changed = Settings.load(working_tokens=10, working_turns=2, working_seconds=5)
    assert (changed.working_tokens, changed.working_turns, changed.working_seconds) == (10, 2, 5)


def test_the_policy_says_at_how_many_tokens_a_conversation_is_full(mindful: Memory, tmp_path: Path) -> None:
    (tmp_path / "policies" / "presets").mkdir(parents=True)
    (tmp_path / "packs").mkdir()
    (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: {triggers: short}\n")
    (tmp_path / "policies" / "presets" / "short.yaml").write_text("triggers: {summarise: {token_pressure: 500}}\n")
    settings = parts_of(mindful).settings.model_copy(update={"rules": tmp_path / "packs"})

    parts = replace(parts_of(mindful), settings=settings)
    vars(parts)["cache"] = parts_of(mindful).cache  # the fixture owns and closes it
    assert turns_of(parts, Scope("default", "alice", "concierge"), "s1").limits.tokens == 500


def test_a_conversation_must_have_a_name(scope: Scope) -> None:
    with pytest.raises(Incorrect, match="is empty"):
        Conversation(scope, "")


@pytest.mark.accept
def test_a_memory_without_services_starts_its_own_cache() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-mind-", ignore_cleanup_errors=True) as home:
        os.chmod(home, 0o755)
        with Memory.connect(home=home) as memory:
            memory.scope("alice").working("s1").add_turn("hello")
            assert in_mind(memory.scope("alice").working("s1")) == ["hello"]
        assert RedisServer(Path(home) / "redis").pid is None
