"""The lifecycle jobs lose nothing and do not block: between transactions, writers and tenants."""

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import Connection

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, CONSOLIDATE, DECAY, DETECT_PATTERNS, PREPARE, SUMMARISE, SWEEP
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound, SlowwaveError, Unavailable
from slowwave.memory import MemoryScope, due_work
from slowwave.memory.continuum import ContinuumMemory
from slowwave.retrieval.recall import recall
from slowwave.store.database import Database, Plans
from slowwave.store.memory_state import accesses
from slowwave.store.operator import tally
from slowwave.store.recall.recall import Memories
from slowwave.store.tiers.sweep import PostgresSweep
from slowwave.wiring.parts import Parts
from tests.contract.harness import Harness
from tests.contract.learning.lessons import attempt
from tests.contract.learning.projects import Project
from tests.contract.memory_state.harness import chosen, later, now, put, run
from tests.contract.retention.harness import tell
from tests.faults.rig.processes import until


def killed(*_: object, **__: object) -> None:
    """Die as a process does."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["overflow", "evict", "mark_swept"])
def test_a_repeated_sweep_after_a_kill_evicts_the_surplus(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    chosen(harness, "aragora_hope")
    for _ in range(205):
        put(harness, scope, tier="slow", base=0.4, sweep_due=now(harness))
    with monkeypatch.context() as patched:
        patched.setattr(PostgresSweep, step, killed)
        with pytest.raises(KeyboardInterrupt):
            run(harness, SWEEP)

    harness.later(harness.lease + 1)
    for _ in range(2):
        run(harness, SWEEP)
        assert harness.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180
    assert not harness.value("SELECT count(*) FROM standing WHERE sweep_due <= slowwave_now()")


def race(harness: Harness, fact: uuid.UUID, *acts: Callable[[], object]) -> list[object]:
    """Do *acts* one after the other while the standing of *fact* is locked; return their results."""
    results: list[object] = [None] * len(acts)

    def do(number: int) -> None:
        try:
            results[number] = acts[number]()
        except SlowwaveError as error:
            results[number] = error

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(acts))]
    with psycopg.connect(harness.superuser_url) as holder:
        holder.execute("SELECT FROM standing WHERE memory = %s FOR UPDATE", (fact,))
        for number, thread in enumerate(threads):
            thread.start()
            until(
                lambda number=number, thread=thread: harness.lock_waits() > number or not thread.is_alive(),  # type: ignore[misc]  # bound here
                "an act waits, or is done",
            )
    for thread in threads:
        thread.join()
    return results


def known(harness: Harness, scope: Scope) -> tuple[uuid.UUID, uuid.UUID]:
    """Store two likes; return their facts in the order of their locks."""
    harness.told(scope, 2)
    harness.drain()
    first, second = harness.column("SELECT fact FROM facts WHERE scope = %s ORDER BY fact", scope.id)
    return first, second


def recalled(harness: Harness, scope: Scope, fact: uuid.UUID) -> Callable[[], object]:
    """Return the access counts of *fact*."""
    found = [one for one in MemoryScope(harness.parts, scope).recall("what do I like?", limit=20) if one.id == fact]
    harness.parts.accesses.flush()
    harness.rows("UPDATE standing SET access_count = 0")

    def count() -> None:
        harness.parts.accesses.add(scope.tenant, found)
        harness.parts.accesses.flush()

    return count


def test_a_recall_during_a_confirmation_does_not_deadlock(harness: Harness, scope: Scope) -> None:
    first, second = known(harness, scope)
    count = recalled(harness, scope, second)
    again = [Episode(content=f"I like food{number}", key=f"again{number}") for number in (1, 2, 3)]
    harness.parts.push(scope, again)
    due_work.fire(harness.parts, scope.id)
    while (said := harness.claimed("ann", scope=scope, jobs=(PREPARE, CONSOLIDATE))).job == PREPARE:
        harness.settle(said)

    results = race(harness, first, lambda: harness.settle(said), count)

    assert results == [{"noop": 2, "add": 1}, None]
    assert harness.value("SELECT access_count FROM standing WHERE memory = %s", second) == 1


def test_a_promotion_does_not_wait_for_locked_memories(harness: Harness) -> None:
    project = Project(harness)
    fact = project.living()
    promotion = project.claimed("ann")
    results: list[object] = []
    settling = threading.Thread(target=lambda: results.append(harness.settle(promotion)))

    with psycopg.connect(harness.superuser_url) as holder:
        holder.execute("SELECT FROM standing WHERE memory = %s FOR UPDATE", (fact,))
        settling.start()
        until(lambda: harness.lock_waits() > 0 or not settling.is_alive(), "it waits, or is done")
        holder.execute("SELECT FROM facts WHERE fact = %s FOR UPDATE", (fact,))  # like a job that closes the fact
    settling.join()

    assert results == [{"add": 1}]
    assert (project.promote(), project.promote(), project.live()) == ({"looked": 1}, {}, 1)


def retried(harness: Harness) -> None:
    """Retry every open dead letter, and do the due runs."""
    harness.retry()
    assert harness.drain()["ok"]
    assert not harness.value("SELECT count(*) FROM intents WHERE job = 'retry'")


def test_a_retried_dead_letter_of_the_prepare_job_is_counted_once(harness: Harness, scope: Scope) -> None:
    harness.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}") for number in range(1, 9)])
    harness.bury(scope, 3, 6, jobs=[PREPARE])
    assert harness.value("SELECT episodes FROM conversations") == 6

    retried(harness)

    assert harness.value("SELECT episodes FROM conversations") == 8
    assert harness.value("SELECT count(*) FROM episode_vectors WHERE scope = %s", scope.id) == 8


def test_dead_letters_of_pattern_detection_are_retried_by_pattern_detection(harness: Harness, scope: Scope) -> None:
    tried = [*attempt(("search", "pay")), *attempt(("search", "pay")), *attempt(("look", "pay"))]
    harness.parts.push(scope, tried)
    harness.drain()
    harness.parts.schedule.fire_manually(by="test", scopes=[scope.id], pack="_patterns")
    harness.bury(scope, 3, 9, jobs=[DETECT_PATTERNS])
    known = "SELECT tools, successes FROM strategies ORDER BY tools"
    assert harness.rows(known) == [(["search", "pay"], 1)]

    retried(harness)

    assert harness.rows(known) == [(["look", "pay"], 1), (["search", "pay"], 2)]
    assert harness.value("SELECT sum(calls) FROM tool_stats") == 6


def test_a_dead_letter_of_summaries_is_retried_by_the_summary_job(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 1)
    harness.drain()
    harness.parts.schedule.fire_manually(by="test", scopes=[scope.id], pack="_summarise")
    harness.bury(scope, 1, jobs=[SUMMARISE])
    summaries = "SELECT count(*) FROM facts WHERE predicate = 'summary'"
    assert harness.value(summaries) == 0

    retried(harness)

    assert harness.value(summaries) == 1


@pytest.mark.parametrize("counting", [accesses.Accesses, tally.Tally])
def test_a_failing_tenant_does_not_block_the_counts_of_others(
    harness: Harness, scope: Scope, counting: type[accesses.Accesses | tally.Tally]
) -> None:
    _, fact = known(harness, scope)
    others = replace(scope, tenant="aaa")  # the first in line
    found = [one for one in MemoryScope(harness.parts, scope).recall("what do I like?", limit=20) if one.id == fact]
    down = [True]

    class Failing(Database):
        def _enter(self, connection: Connection, tenant: str, plans: Plans = "auto") -> None:
            if down and tenant == others.tenant:
                raise Unavailable("somebody holds what is theirs", retry_after_seconds=1)
            super()._enter(connection, tenant, plans)

    database = Failing(harness.parts.url)
    counts = counting(database)
    for each in (others, scope):
        if isinstance(counts, accesses.Accesses):
            counts.add(each.tenant, found)
        else:
            counts.recalled(each.tenant, found=1, milliseconds=1)

    for _ in range(2):
        with pytest.raises(Unavailable):
            counts.flush()

    counted = {
        accesses.Accesses: "SELECT access_count FROM standing WHERE memory = %s AND memory = %s",
        tally.Tally: "SELECT sum(count) FROM tallies WHERE (name, tenant) = ('recall_hit', 'default') AND %s = %s",
    }[counting]
    assert harness.value(counted, fact, fact) == 1
    down.clear()
    counts.close()
    assert harness.value(counted, fact, fact) == 1
    database.close()


def recollections(harness: Harness, scope: Scope) -> dict[str, Recollection]:
    """Return a fact and an episode that are recalled, uncounted, by their kind."""
    known(harness, scope)
    found = recall("what do I like?", [scope], store=Memories(harness.parts.database), embedder=harness.parts.embedder)
    return {one.kind: one for one in found}


def test_feedback_on_another_tenants_memory_is_refused(harness: Harness, scope: Scope) -> None:
    theirs = recollections(harness, scope)
    other = MemoryScope(harness.parts, replace(scope, tenant="other"))

    for one in theirs.values():
        for act in (other.pin, other.unpin, other.feedback):
            with pytest.raises(NotFound):
                act(one)

    assert harness.rows("SELECT DISTINCT tenant FROM standing") == [("default",)]
    MemoryScope(harness.parts, scope).pin(theirs["episode"])
    assert harness.value("SELECT pinned FROM standing WHERE memory = %s", theirs["episode"].id)


def test_a_withdrawn_fact_gets_no_standing_from_a_late_access(harness: Harness, scope: Scope) -> None:
    fact = recollections(harness, scope)["fact"]
    harness.rows("DELETE FROM standing WHERE memory = %s", fact.id)  # as decay and archive do with the fact

    harness.parts.accesses.add(scope.tenant, [fact])
    harness.parts.accesses.flush()

    assert harness.value("SELECT count(*) FROM standing WHERE memory = %s", fact.id) == 0


def test_a_conversation_with_unprepared_turns_is_not_archived(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    later(harness, days=91)
    harness.parts.push(scope, [Episode(content="I like figs", key="figs", session="s1")])

    counts = run(harness, ARCHIVE)
    harness.drain()

    assert counts.get("archived", 0) == 0
    assert harness.rows("SELECT episodes, archived FROM conversations") == [(2, None)]
    later(harness, days=91)
    assert run(harness, ARCHIVE)["archived"] == 1


def test_an_entity_that_returns_can_fade_again(harness: Harness, scope: Scope) -> None:
    faded = "SELECT count(*) FROM entities WHERE faded IS NOT NULL AND name = 'user'"

    def fades() -> int:
        later(harness, days=100)
        run(harness, DECAY)
        run(harness, DECAY)
        return int(harness.value(faded))

    tell(harness, scope, "I live in Oslo")
    assert fades() == 1
    tell(harness, scope, "I like figs", session="s2")
    assert (harness.value(faded), fades()) == (0, 1)
    MemoryScope(harness.parts, scope).recall("what do I like?", limit=20)
    harness.parts.accesses.flush()
    assert (harness.value(faded), fades()) == (0, 1)


def test_an_entry_that_waits_in_the_outbox_is_returned_as_it_was_stored(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = ContinuumMemory(harness.parts, scope)

    def spooled(_: Parts, scope: Scope, items: Sequence[Episode]) -> list[Receipt]:
        return [Receipt(uuid.uuid5(scope.id, one.key), one.key, "spooled") for one in items]

    monkeypatch.setattr(Parts, "push", spooled)

    stored = entry.store("I like figs", tier="cold", importance=0.7, source="chat", topic="food", key="figs")

    assert (stored.content, stored.tier, stored.importance) == ("I like figs", "cold", 0.7)
    assert (stored.source, stored.topic, stored.metadata) == ("chat", "food", {})
