"""AgentX's monitoring and Aragora's statistics: from Postgres, over all processes."""

from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any

import pytest
import redis

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DECAY, SWEEP
from slowwave.domain.scope import Scope
from slowwave.domain.stats import Share, Stats
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.testing import move_clock
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import chosen, later, now, run

Told = Callable[..., list[Episode]]


@pytest.fixture
def known(parts: wiring.Parts, scope: Scope, told: Told) -> MemoryScope:
    """A scope that has learned two things in two conversations."""
    known = MemoryScope(parts, scope)
    known.push_many(told("I live in Lisbon", session="s1") + told("I like chess", start=1, session="s2"))
    known.consolidate()
    return known


def stats(known: MemoryScope, tenant: str | None = None) -> Stats:
    """Return the statistics of the installation."""
    return Memory(parts_of(known)).stats(tenant=tenant)


@pytest.mark.requirement("S2.83")
def test_statistics_count_the_stored_memories(known: MemoryScope) -> None:
    before = stats(known)

    known.push("I live in Oslo now", key="e9", session="s3")
    known.push("I like rowing", key="e10", session="s3")
    known.consolidate()

    after = stats(known)
    assert (before.nodes["episodes"], before.nodes["facts"]) == (2, 2)
    assert (after.nodes["episodes"], after.nodes["facts"]) == (4, 3)
    assert set(after.nodes) == {"episodes", "conversations", "entities", "facts", "strategies", "tools"}
    assert after.relationships == {"has_turn": 4, "about": 3, "derived_from": 4, "promoted_from": 0}


def test_statistics_give_the_share_of_what_was_anticipated(
    parts: wiring.Parts, scope: Scope, known: MemoryScope
) -> None:
    def told() -> Share:
        parts.tally.flush()
        return Memory(parts).stats().anticipated

    known.context("where do I live?", session="s9")
    assert told() == Share(0, 0), "nothing can have been looked up ahead of the first"

    assert parts.anticipation.settled(Conversation(scope, "s9"), 10)
    known.context("and what do I like?", session="s9")
    first = told()
    assert first.hits > 0

    assert parts.anticipation.settled(Conversation(scope, "s9"), 10)
    known.push("My sister plays the cello in Ghent", key="cello", session="s3")
    known.context("who plays the cello?", session="s9")
    assert told().misses == first.misses + 1, "what was said since could not be looked up ahead"


@pytest.mark.requirement("S2.84")
def test_statistics_give_the_latency_of_retrieval(parts: wiring.Parts, known: MemoryScope) -> None:
    for milliseconds in range(1, 101):
        parts.tally.recalled("default", found=1, milliseconds=milliseconds)

    latency = stats(known).latency

    assert latency.count == 100
    for told, exact in ((latency.p50, 50), (latency.p95, 95), (latency.p99, 99)):
        assert told is not None
        assert exact <= told <= exact * 1.06


@pytest.mark.requirement("S2.85")
def test_statistics_give_the_lag_from_a_conversations_end_to_its_consolidation(
    parts: wiring.Parts, scope: Scope, told: Told, owner_url: str
) -> None:
    known = MemoryScope(parts, scope)
    for hour, session in enumerate(["morning", "morning", "noon"]):
        move_clock(owner_url, timedelta(hours=hour))
        known.push(f"I like food{hour}", key=f"e{hour}", session=session)
    move_clock(owner_url, timedelta(hours=4))
    assert stats(known).lag.unread >= timedelta(hours=4)

    known.consolidate()

    lag = stats(known).lag
    assert lag.conversations == 2
    assert lag.longest is not None
    assert lag.median is not None
    assert timedelta(hours=3) <= lag.longest < timedelta(hours=3, minutes=5), "morning ended at its second episode"
    assert timedelta(hours=2) <= lag.median < timedelta(hours=2, minutes=5)
    assert lag.unread == timedelta(0)


@pytest.mark.requirement("S2.86")
def test_statistics_give_the_caches_hit_rate(mindful: Memory, scope: Scope) -> None:
    mind = MemoryScope(parts_of(mindful), scope).working("s1")
    assert mindful.stats().cache.rate is None

    mind.set("colour", "green")
    found = [mind.get("colour"), mind.get("colour"), mind.get("colour"), mind.get("sound")]

    cache = mindful.stats().cache
    assert found == ["green", "green", "green", None]
    assert (cache.hits, cache.misses, cache.rate) == (3, 1, 0.75)


@pytest.mark.requirement("S2.87")
def test_statistics_count_decayed_memories_by_day(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    memory = Memory(harness.parts)
    known = MemoryScope(parts_of(memory), scope)
    known.push("I think I like figs")
    known.consolidate()
    run(harness, DECAY)
    assert not any(counts.keys() - {"refreshed"} for counts in memory.stats().decayed.values())

    decayed = []
    for days in (45, 31):  # strength below a tenth: first the user and the figs, then the inferred fact
        later(harness, days=days)
        run(harness, DECAY)
        ((day, counts),) = memory.stats().decayed.items()
        assert day == now(harness).astimezone(UTC).date()
        decayed.append({what: number for what, number in counts.items() if what != "refreshed"})
    assert decayed == [{"entities": 2}, {"facts": 1}]


@pytest.mark.requirement("S3.40")
def test_statistics_give_tiers_moves_hit_rate_and_surprise(harness: Harness, scope: Scope) -> None:
    chosen(harness, "grampus_f3")
    memory = Memory(harness.parts)
    known = MemoryScope(parts_of(memory), scope)
    known.push_many(["I live in Lisbon", "I like chess"])
    known.consolidate()
    for _ in range(3):
        found = known.recall("where do I live?")
        write_accesses(harness.parts)
    memory.scope("nobody").recall("where do I live?")
    useful = known.feedback(found[-1], 1.0)

    tiering = memory.stats().tiering

    standing = harness.value("SELECT count(*) FROM standing WHERE kind <> 'entity'")
    assert useful.surprise > 0
    assert tiering.tier_counts == {"hot": len(found), "warm": 0, "cold": standing - len(found)}
    assert (tiering.promotions_last_hour, tiering.demotions_last_hour) == (2 * len(found), 0)
    assert tiering.hit_rate == 0.75
    assert tiering.avg_surprise_score == pytest.approx(useful.surprise / standing)

    later(harness, minutes=61)
    run(harness, SWEEP)

    tiering = memory.stats().tiering
    assert tiering.tier_counts == {"hot": 0, "warm": len(found), "cold": standing - len(found)}
    assert (tiering.promotions_last_hour, tiering.demotions_last_hour) == (0, len(found))
    harness.parts.accesses.close()


def test_counts_of_several_processes_add_up(settings: wiring.Settings, known: MemoryScope) -> None:
    for _ in range(3):
        process = wiring.connect(settings)
        process.tally.recalled("default", found=1, milliseconds=7)
        process.close()

    counts = stats(known)

    assert (counts.latency.count, counts.recalls.hits) == (3, 3)


def test_recalls_succeed_while_counts_cannot_be_written(known: MemoryScope, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> str:
        raise Unavailable("away")

    monkeypatch.setattr("slowwave.store.operator.tally.execute", away)
    found = known.recall("where do I live?")
    assert found
    with pytest.raises(Unavailable):
        stats(known)

    monkeypatch.undo()
    assert stats(known).latency.count == 1, "kept, and written once"


def test_another_tenants_recalls_are_not_counted(known: MemoryScope) -> None:
    theirs = Memory(parts_of(known)).scope("bob", tenant="other")
    theirs.push("I live in Riga")
    theirs.recall("where do I live?")

    assert stats(known).latency.count == 0
    assert stats(known, tenant="other").latency.count == 1


def test_statistics_say_how_much_memory_the_cache_uses(mindful: Memory, cache_url: str) -> None:
    with redis.Redis.from_url(cache_url) as client:
        before = mindful.stats().cache_memory
        client.set("ballast", b"x" * 1_000_000)
        after = mindful.stats().cache_memory
        client.delete("ballast")

    assert before is not None
    assert after is not None
    assert after.used >= before.used + 1_000_000
    assert (after.most, after.policy, after.evicted) == (None, "noeviction", before.evicted)


def test_statistics_without_a_cache_omit_its_memory(known: MemoryScope) -> None:
    assert stats(known).cache_memory is None


@pytest.mark.requirement("S2.22")
def test_recall_reports_latency_and_count_of_each_stage(parts: wiring.Parts, scope: Scope) -> None:
    known = MemoryScope(parts, scope)
    known.push("I live in Oslo", session="s1")
    known.push("Rain all week", session="s1")
    known.consolidate()

    found = known.recall("Where do I live?", explain=True)

    how = found.explained
    assert how is not None
    stages = {stage.name: stage for stage in how.stages}
    assert {"embed", "route", "graph", "scan", "fuse", "rerank", "budget"} <= stages.keys()
    assert all(stage.milliseconds >= 0 for stage in how.stages)
    assert stages["scan"].memories == 3, "two turns and a fact"
