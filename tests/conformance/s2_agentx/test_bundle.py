"""AgentX: one bundle of memories for a question, and a size limit for the cache of working memory."""

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded_services import CacheServer
from slowwave.memory import Memory, MemoryScope
from slowwave.testing import move_clock
from tests.faults.rig.processes import until


@pytest.fixture
def nora(parts: wiring.Parts) -> MemoryScope:
    scope = Memory(parts).scope("nora", agent="concierge", channel="trip")
    scope.push("I am allergic to nuts.", key="k1", session="s1")
    scope.push("Anna lives in Oslo.", key="k2", session="s1")
    scope.consolidate()
    scope.strategies.learn_strategy("Search flights first", "book a flight", ["search", "book"], "s2", True)
    scope.goals.add("Book a flight to Oslo")
    scope.goals.complete(scope.goals.add("Pack").goal_id)
    return scope


@pytest.mark.requirement("S2.17", "S2.63")
def test_a_bundle_has_turns_facts_entities_strategies_active_goals_and_the_profile(nora: MemoryScope) -> None:
    bundle = nora.remember("book a flight to Oslo to see Anna", top_k=5)

    assert "Anna lives in Oslo." in [one.text for one in bundle.turns]
    assert "Anna lives in Oslo" in [one.text for one in bundle.facts]
    assert {"Anna", "Oslo"} <= {one.label for one in bundle.entities}
    assert [one.description for one in bundle.strategies] == ["Search flights first"]
    assert [one.description for one in bundle.goals] == ["Book a flight to Oslo"]
    assert [one.value for one in bundle.profile.preferences] == ["nuts"]
    assert {one.kind for one in bundle.turns} == {"episode"}
    assert {one.kind for one in bundle.facts} == {"fact"}


@pytest.mark.requirement("S2.17")
def test_excluded_kinds_are_left_out_of_the_bundle(nora: MemoryScope) -> None:
    turns = nora.remember("Oslo", include_semantic=False, include_procedural=False)
    facts = nora.remember("Oslo", include_episodic=False, include_procedural=False)
    ways = nora.remember("book a flight", include_episodic=False, include_semantic=False)

    assert turns.turns
    assert (turns.facts, turns.entities, turns.goals, turns.strategies, turns.profile.entries) == ([], [], [], [], [])
    assert facts.facts
    assert (facts.turns, facts.strategies) == ([], [])
    assert ways.strategies
    assert (ways.turns, ways.facts, ways.entities, ways.goals, ways.profile.entries) == ([], [], [], [], [])


@pytest.mark.requirement("S2.17")
def test_a_bundle_keeps_to_its_number_its_time_and_its_channels(nora: MemoryScope, owner_url: str) -> None:
    assert len(nora.remember("Oslo", top_k=1).turns) == 1
    assert nora.remember("Oslo", channels=["elsewhere"]).turns == []

    move_clock(owner_url, timedelta(hours=3))
    nora.push("Oslo is cold.", key="k3", session="s3")
    assert [one.text for one in nora.remember("Oslo", time_window_hours=2).turns] == ["Oslo is cold."]
    assert len(nora.remember("Oslo", time_window_hours=5).turns) >= 2


MEGABYTE = 2**20


@pytest.fixture
def small() -> Iterator[CacheServer]:
    """The embedded cache, as small as the settings let it be."""
    with tempfile.TemporaryDirectory(prefix="slowwave-cache-", dir="/var/tmp", ignore_cleanup_errors=True) as home:
        os.chmod(home, 0o755)
        with CacheServer(Path(home) / "cache", most_bytes=4 * MEGABYTE) as server:
            yield server


@pytest.fixture
def mindful(connected: Callable[..., wiring.Parts], small: CacheServer) -> Iterator[Memory]:
    parts = connected(cache_url=SecretStr(small.url()))
    with Memory(parts) as memory:
        yield memory


@pytest.mark.requirement("S2.72")
def test_a_full_cache_evicts_the_least_recently_used_entry_and_reports_it(mindful: Memory, small: CacheServer) -> None:
    alice = mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")
    alice.working("first").add_turn("I moved to Oslo.")
    alice.working("asked").add_turn("I moved to Riga.")
    alice.working("asked").set("plan", "tea")

    with redis.Redis.from_url(small.url()) as cache:
        for number in range(60):  # entries that fit
            alice.working(f"s{number}").set("draft", "x" * 50_000)
        until(lambda: idle(cache) >= 2, "the cache's clock goes by the second")
        for number in range(60, 100):
            alice.working(f"s{number}").set("draft", "x" * 50_000)
            assert alice.working("asked").get("plan") == "tea", number
        lifetimes = [cache.ttl(name) for name in cache.scan_iter()]
        assert cache.info("memory")["used_memory"] <= 4 * MEGABYTE + MEGABYTE // 4

    assert min(lifetimes) > 0, "every key of working memory ends by itself"
    told = mindful.stats().cache_memory
    assert told is not None
    assert (told.most, told.policy) == (4 * MEGABYTE, "allkeys-lru")
    assert told.evicted > 10
    assert any(alice.working(f"s{number}").get("draft") is None for number in range(60))
    assert [turn.content for turn in alice.working("first").get_recent_turns()] == ["I moved to Oslo."]


def idle(cache: redis.Redis) -> int:
    """The seconds since the last request for the least recently used entry."""
    return min(int(cache.object("idletime", name)) for name in cache.scan_iter())
