"""AgentX: the cache of working memory holds so much and no more, and lets go of what was not asked for the longest."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from pydantic import SecretStr

from slowwave import wiring
from slowwave.embedded_services import CacheServer
from slowwave.memory import Memory
from slowwave.settings import Settings
from tests.faults.rig.waiting import until

MEGABYTE = 2**20


@pytest.fixture
def small() -> Iterator[CacheServer]:
    """The embedded cache, as small as the settings let it be."""
    with tempfile.TemporaryDirectory(prefix="slowwave-cache-", dir="/var/tmp", ignore_cleanup_errors=True) as home:
        os.chmod(home, 0o755)
        with CacheServer(Path(home) / "cache", most_bytes=4 * MEGABYTE) as server:
            yield server


@pytest.fixture
def mindful(settings: Settings, heavy_parts: dict[str, object], small: CacheServer) -> Iterator[Memory]:
    parts = wiring.connect(settings.model_copy(update={"cache_url": SecretStr(small.url())}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    with Memory(parts) as memory:
        yield memory


@pytest.mark.requirement("S2.72")
def test_a_full_cache_evicts_the_least_recently_used_entry_and_reports_it(mindful: Memory, small: CacheServer) -> None:
    alice = mindful.scope(f"alice-{uuid.uuid4().hex[:8]}", agent="concierge")
    alice.working("first").add_turn("I moved to Oslo.")
    alice.working("asked").add_turn("I moved to Riga.")
    alice.working("asked").set("plan", "tea")

    with redis.Redis.from_url(small.url()) as cache:
        for number in range(60):  # what fits
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
    """The seconds for which nobody asked for what was asked for last."""
    return min(int(cache.object("idletime", name)) for name in cache.scan_iter())
