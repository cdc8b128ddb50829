"""Working memory on a real Redis: it holds what fits, and what does not fit becomes episodes, once, word for word."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from slowwave import wiring
from slowwave.cache import RedisCache, key
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.domain.working import ActiveGoal, Conversation, Limits, Part
from slowwave.embedded.redis import RedisServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.jobs.working import WorkingMemory
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.working import working_memory
from slowwave.settings import Settings
from slowwave.store.inbox.episodes import window
from tests.conftest import NOON
from tests.contract.desk import at_once


@pytest.fixture
def alice(mindful: Memory) -> MemoryScope:
    return mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")


@pytest.fixture
def client(cache_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(cache_url, decode_responses=True) as connection:
        yield connection


def episodes(alice: MemoryScope) -> list[StoredEpisode]:
    with alice.parts.database.tenant(alice.scope.tenant) as connection:
        return window(connection, alice.scope.id, 1, 10_000)


def small(alice: MemoryScope, turns: int = 4, conversation: str = "s1", **changes: Any) -> WorkingMemory:
    """Return a working memory that holds few turns."""
    return replace(alice.working(conversation), limits=Limits(turns=turns), **changes)


def in_mind(memory: WorkingMemory) -> list[str]:
    return [turn.content for turn in memory.get_recent_turns()]


def firings(alice: MemoryScope) -> list[str]:
    with alice.parts.database.tenant(alice.scope.tenant) as connection:
        found = connection.exec_driver_sql(
            "SELECT at_window FROM firings WHERE schedule = 'summarise/token_pressure' AND scope = %(scope)s "
            "ORDER BY at_window::bigint",
            {"scope": alice.scope.id},
        )
        return list(found.scalars())


# what leaves


def test_what_does_not_fit_becomes_episodes_word_for_word(alice: MemoryScope) -> None:
    memory = small(alice)
    words = "  It's 5 o'clock;\n\"übermorgen\" — 東京\tat\r\nnoon "

    memory.add_turn(words, role="assistant", occurred_at=NOON, metadata={"speaker": "Ann", "n": [1, {"a": None}]})
    for number in range(4):
        memory.add_turn(f"turn {number}")

    first, second = episodes(alice)
    assert (first.content, first.role, first.occurred, first.session) == (words, "assistant", NOON, "s1")
    assert (first.metadata, first.kind) == ({"speaker": "Ann", "n": [1, {"a": None}]}, "message")
    assert second.content == "turn 0"
    assert in_mind(memory) == ["turn 1", "turn 2", "turn 3"]


def test_evicted_message_is_retrievable_by_meaning(alice: MemoryScope) -> None:
    memory = small(alice)
    memory.add_turn("My physician told me to avoid penicillin")
    for number in range(4):
        memory.add_turn(f"the weather on day {number} was fine")
    Memory(alice.parts).drain()

    best = next(r for r in alice.recall("which drugs are dangerous for the patient?") if r.kind == "episode")

    assert best.text == "My physician told me to avoid penicillin"
    assert best.reasons["similarity"] > 0
    assert best.reasons["keyword"] == 0


def test_every_message_in_exactly_one_of_working_and_log_under_concurrency(alice: MemoryScope) -> None:
    said = [f"message {number}" for number in range(60)]
    talkers = [small(alice, turns=6) for _ in range(6)]

    done = at_once([lambda n=n: [talkers[n].add_turn(words) for words in said[n::6]] for n in range(6)])  # type: ignore[misc]  # a default binds n

    assert [each for each in done if isinstance(each, Exception)] == []
    kept, logged = in_mind(talkers[0]), [episode.content for episode in episodes(alice)]
    assert sorted(kept + logged) == sorted(said)
    assert len(kept) <= 6


@pytest.mark.parametrize("dies_at", ["push", "ask", "remove"])
def test_an_eviction_that_dies_half_way_is_repeated_as_a_no_op(alice: MemoryScope, dies_at: str) -> None:
    """Death is an error nobody handles, after the step is done or before it is."""

    class Died(BaseException): ...

    def die(*_: object) -> Any:
        raise Died

    def push_and_die(*arguments: Any) -> Any:
        alice.parts.push(*arguments)
        raise Died

    class Dying(RedisCache):
        def remove(self, of: Conversation, part: Part, ids: Sequence[str]) -> int:
            raise Died

    memory = small(alice)
    doomed = {
        "push": replace(memory, push=push_and_die),
        "ask": replace(memory, ask=die),
        "remove": replace(memory, cache=Dying(str(alice.parts.settings.cache_url.get_secret_value()))),  # type: ignore[union-attr]  # mindful has one
    }[dies_at]
    for number in range(4):
        memory.add_turn(f"turn {number}")
    with pytest.raises(Died):
        doomed.add_turn("turn 4")

    memory.add_turn("turn 5")

    kept, logged = in_mind(memory), [episode.content for episode in episodes(alice)]
    assert logged + kept == [f"turn {number}" for number in range(6)]
    assert firings(alice) == ["2"]


KILLED = """
import os, signal, sys
from dataclasses import replace
from slowwave.domain.working import Limits
from slowwave.jobs.working import WorkingMemory
from slowwave.memory import Memory

url, cache_url, user = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

with Memory.connect(url, cache_url=cache_url) as memory:
    working = replace(memory.scope(user, agent="concierge").working("s1"), limits=Limits(turns=4))
    working.cache.remove = die
    for number in range(5):
        working.add_turn(f"turn {number}")
"""


def test_an_agent_killed_between_push_and_trim_loses_and_doubles_nothing(
    alice: MemoryScope, url: str, cache_url: str
) -> None:
    died = subprocess.run([sys.executable, "-c", KILLED, url, cache_url, alice.scope.user], timeout=60, check=False)
    assert died.returncode == -signal.SIGKILL
    assert in_mind(small(alice)) == [f"turn {number}" for number in range(5)]
    assert [episode.content for episode in episodes(alice)] == ["turn 0", "turn 1"]

    small(alice).add_turn("turn 5")

    assert [e.content for e in episodes(alice)] + in_mind(small(alice)) == [f"turn {number}" for number in range(6)]
    assert firings(alice) == ["2"]


def test_what_leaves_is_in_the_sessions_summary(alice: MemoryScope) -> None:
    memory = small(alice)
    for number in range(5):
        memory.add_turn(f"I met Ann{number} in Oslo.")
    Memory(alice.parts).drain()

    (summary,) = [fact for fact in alice.facts() if fact.predicate == "summary"]
    assert summary.object == "user: I met Ann0 in Oslo.\nuser: I met Ann1 in Oslo."


def test_while_postgres_is_away_turns_stay_in_mind_and_leave_later(
    alice: MemoryScope, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object) -> Any:
        raise Unavailable("Postgres is away")

    memory = small(alice)
    for number in range(6):
        replace(memory, push=away).add_turn(f"turn {number}")
    assert len(in_mind(memory)) == 6
    assert "5 turns are too many and cannot leave yet: Unavailable" in caplog.text

    memory.add_turn("turn 6")

    assert [e.content for e in episodes(alice)] + in_mind(memory) == [f"turn {number}" for number in range(7)]


def test_a_turn_that_fits_nowhere_is_an_episode_at_once(alice: MemoryScope) -> None:
    alice.working("s1").add_turn("x" * 40_000)

    assert in_mind(alice.working("s1")) == []
    assert len(episodes(alice)[0].content) == 40_000


def test_what_is_logged_of_an_eviction_has_no_words_of_it(alice: MemoryScope, caplog: pytest.LogCaptureFixture) -> None:
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
        assert in_mind(memory) == ["turn 0", "turn 1"]
        for number in (2, 3, 4):
            memory.add_turn(f"turn {number}", key=f"k{number}")
        memory.clear_session()

    assert [e.content for e in episodes(alice)] == [f"turn {number}" for number in range(5)]


def test_a_turn_without_a_time_was_said_when_it_was_added(alice: MemoryScope, client: "redis.Redis") -> None:
    seconds, micros = client.time()
    turn = alice.working("s1").add_turn("hello")
    alice.working("s1").clear_session()

    (episode,) = episodes(alice)
    assert turn.episode.occurred_at is not None
    assert turn.episode.occurred_at.timestamp() >= seconds + micros / 1e6
    assert episode.occurred == turn.episode.occurred_at


# what stays, and for how long


def test_a_session_that_is_cleared_keeps_what_was_said(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    memory.add_turn("I moved to Oslo")
    memory.push_thought("she moved")
    memory.set("note", 1)
    memory.set_active_goal("g", "help her")

    assert memory.clear_session() == 1

    assert [e.content for e in episodes(alice)] == ["I moved to Oslo"]
    context = memory.get_context()
    assert (context.turns, context.thoughts, context.values, context.goal) == ([], [], {}, None)


def test_a_session_may_be_cleared_of_everything(alice: MemoryScope, client: "redis.Redis") -> None:
    memory = alice.working("s1")
    memory.add_turn("I moved to Oslo")
    memory.set("note", 1)

    assert memory.clear_session(keep=False) == 0

    assert episodes(alice) == []
    assert client.keys(key(memory.of, "*").replace("%2A", "*")) == []


def test_everything_ends_by_itself_after_an_hour_and_values_when_they_are_told_to(
    alice: MemoryScope, client: "redis.Redis"
) -> None:
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


def test_a_value_that_has_ended_is_not_in_mind(alice: MemoryScope, client: "redis.Redis") -> None:
    memory = alice.working("s1")
    memory.set("short", "a", ttl_seconds=0.001)
    memory.set("long", "b")
    while client.exists(key(memory.of, "context") + ":short"):
        pass

    assert memory.get("short", "nothing") == "nothing"
    assert memory.get_context().values == {"long": "b"}


def test_names_that_would_collide_or_escape_do_neither(alice: MemoryScope) -> None:
    tricky = ["a:b", "a", "b:turns", "*", "a/%2F", "a/%252F", "A", "{a}"]
    for name in tricky:
        memory = alice.in_channel(name).working(name)
        memory.add_turn(name)
        memory.set(name, name)

    for name in tricky:
        memory = alice.in_channel(name).working(name)
        assert in_mind(memory) == [name]
        assert memory.get_context().values == {name: name}


def test_two_tenants_and_agents_never_share_a_mind(mindful: Memory) -> None:
    for tenant in ("one", "two"):
        for agent in ("a", "b"):
            mindful.scope("alice", tenant=tenant, agent=agent).working("s1").add_turn(f"{tenant} {agent}")

    for tenant in ("one", "two"):
        for agent in ("a", "b"):
            assert in_mind(mindful.scope("alice", tenant=tenant, agent=agent).working("s1")) == [f"{tenant} {agent}"]


def test_the_goal_and_thoughts_are_the_latest(alice: MemoryScope) -> None:
    memory = alice.working("s1")
    memory.set_active_goal("g1", "book a hotel")
    memory.set_active_goal("g1", "book a cheap hotel")
    for number in range(60):
        memory.push_thought(f"thought {number}")

    assert memory.get_active_goal() == ActiveGoal("g1", "book a cheap hotel")
    assert memory.get_thoughts(2) == ["thought 58", "thought 59"]
    assert len(memory.get_thoughts()) == 50


# what is refused, and who is away


def test_what_could_never_be_an_episode_is_no_turn(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect, match="is empty"):
        alice.working("s1").add_turn(" ")
    with pytest.raises(Incorrect, match="white space"):
        alice.working("s1 ")
    assert in_mind(alice.working("s1")) == []


def test_all_that_is_wrong_with_a_value_is_said_at_once(alice: MemoryScope) -> None:
    with pytest.raises(Incorrect) as caught:
        alice.working("s1").set("", {1, 2}, ttl_seconds=0)

    assert len(caught.value.problems) == 3


def test_a_cache_that_is_away_is_told(alice: MemoryScope, cache_server: RedisServer) -> None:
    memory = alice.working("s1")
    memory.add_turn("hello")
    cache_server.freeze()
    try:
        for ask in (memory.get_context, lambda: memory.add_turn("hello")):
            with pytest.raises(Unavailable, match="the cache does not answer"):
                ask()
    finally:
        cache_server.thaw()

    assert in_mind(memory)[0] == "hello"


def test_without_a_cache_working_memory_says_so(parts: wiring.Parts, scope: Scope) -> None:
    with pytest.raises(Unavailable, match="there is no cache"):
        Memory(parts).scope(scope.user).working("s1")


def test_pushing_needs_no_cache(alice: MemoryScope, cache_server: RedisServer) -> None:
    cache_server.freeze()

    assert alice.push("hello").state == "stored"


def test_settings_say_how_much_is_kept_in_mind_and_for_how_long(mindful: Memory) -> None:
    assert mindful.scope("alice").working("s1").limits == Limits(tokens=8_000, turns=50, seconds=3_600)
    changed = Settings.load(working_tokens=10, working_turns=2, working_seconds=5)
    assert (changed.working_tokens, changed.working_turns, changed.working_seconds) == (10, 2, 5)


def test_the_policy_says_at_how_many_tokens_a_conversation_is_full(mindful: Memory, tmp_path: Path) -> None:
    (tmp_path / "policies" / "presets").mkdir(parents=True)
    (tmp_path / "packs").mkdir()
    (tmp_path / "policies" / "lifecycle.yaml").write_text("everybody: {triggers: short}\n")
    (tmp_path / "policies" / "presets" / "short.yaml").write_text("triggers: {summarise: {token_pressure: 500}}\n")
    settings = mindful.parts.settings.model_copy(update={"rules": tmp_path / "packs"})

    parts = replace(mindful.parts, settings=settings)
    vars(parts)["cache"] = mindful.parts.cache  # which belongs to the fixture, and is closed there
    assert working_memory(parts, Scope("default", "alice", "concierge"), "s1").limits.tokens == 500


def test_a_conversation_must_have_a_name(scope: Scope) -> None:
    with pytest.raises(Incorrect, match="is empty"):
        Conversation(scope, "")


def test_an_agent_that_has_nothing_runs_its_own_cache() -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-mind-", ignore_cleanup_errors=True) as home:
        os.chmod(home, 0o755)
        with Memory.connect(home=home) as memory:
            memory.scope("alice").working("s1").add_turn("hello")
            assert in_mind(memory.scope("alice").working("s1")) == ["hello"]
        assert RedisServer(Path(home) / "redis").pid is None
