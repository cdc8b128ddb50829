"""Memories returned to a caller count as accessed, memories read by a job do not; feedback and pins."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from slowwave.domain.job_table import DECAY, SWEEP
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.testing import stop_clock
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, column, later, now, run, stands


@pytest.fixture
def mine(harness: Harness, scope: Scope) -> Iterator[MemoryScope]:
    """A memory on the harness's database with three known likes."""
    memory = Memory(harness.parts)
    harness.told(scope, 3)
    memory.drain()
    yield MemoryScope(parts_of(memory), scope)
    harness.parts.accesses.close()


def fact_of(mine: MemoryScope) -> Recollection:
    """Return the fact that recall ranks first."""
    found = next(one for one in mine.recall("food2", limit=20) if one.kind == "fact")
    write_accesses(parts_of(mine))
    return found


def test_internal_reads_count_no_access(harness: Harness, mine: MemoryScope) -> None:
    harness.told(mine.scope, 3, start=4)
    Memory(parts_of(mine)).drain()
    for job in (DECAY, SWEEP):
        run(harness, job)
    mine.facts()
    Memory(parts_of(mine)).digest()

    assert harness.value("SELECT sum(access_count) FROM standing") == 0


def test_the_last_accesses_are_kept_and_all_are_counted(harness: Harness, mine: MemoryScope) -> None:
    for _ in range(10):
        fact = fact_of(mine)
        later(harness, minutes=1)

    standing = mine.standing(fact)
    assert (standing.access_count, len(standing.accesses)) == (10, 8)
    assert list(standing.accesses) == sorted(standing.accesses)


def test_an_episode_has_no_standing_before_its_first_access(harness: Harness, mine: MemoryScope) -> None:
    assert harness.value("SELECT count(*) FROM standing WHERE kind = 'episodic'") == 0

    episode = next(one for one in mine.recall("I like food3", limit=20) if one.kind == "episode")
    standing = mine.standing(episode)

    assert (standing.kind, standing.tier, standing.access_count) == ("episodic", "cold", 1)


def test_an_access_delays_forgetting(harness: Harness, mine: MemoryScope) -> None:
    fact = fact_of(mine)
    entity = harness.value("SELECT entity FROM entities WHERE name = 'user' AND scope = %s", mine.scope.id)
    later(harness, days=40)
    run(harness, DECAY)
    fact_of(mine)
    later(harness, days=10)
    run(harness, DECAY)

    assert stands(harness, mine.scope, entity).access_count == stands(harness, mine.scope, fact.id).access_count == 2
    assert harness.value("SELECT faded FROM entities WHERE entity = %s", entity) is None


def test_an_accessed_project_fact_becomes_due_for_promotion(harness: Harness, mine: MemoryScope) -> None:
    project = MemoryScope(parts_of(mine), replace(mine.scope, channel="trip"))
    harness.told(project.scope, 1, start=7)
    Memory(parts_of(mine)).drain()
    harness.rows("UPDATE standing SET promote_due = NULL")

    fact = next(one for one in project.recall("food7", limit=30) if one.kind == "fact" and "food7" in one.text)
    write_accesses(parts_of(mine))
    everywhere = fact_of(mine)

    assert fact.scope == project.scope
    assert column(harness, fact.id, "promote_due") == column(harness, fact.id, "last_access")
    assert column(harness, everywhere.id, "promote_due") is None


def test_pin_clears_the_due_times_and_unpin_restores_them(harness: Harness, mine: MemoryScope) -> None:
    fact = fact_of(mine)
    changed(harness, fact.id, source="inferred", tier="warm", sweep_due=now(harness))

    mine.pin(fact)
    assert stands(harness, mine.scope, fact.id).pinned
    assert (column(harness, fact.id, "decay_due"), column(harness, fact.id, "sweep_due")) == (None, None)
    fact_of(mine)
    assert column(harness, fact.id, "decay_due") is None

    mine.unpin(fact)
    assert column(harness, fact.id, "decay_due") is not None
    assert column(harness, fact.id, "sweep_due") is not None


def test_an_upsert_cannot_clear_a_pin(harness: Harness, mine: MemoryScope) -> None:
    fact = fact_of(mine)
    mine.pin(fact)
    before = stands(harness, mine.scope, fact.id)

    mine.push("I like food2", key="again")
    mine.consolidate()
    fact_of(mine)
    mine.feedback(fact, useful=True)

    after = stands(harness, mine.scope, fact.id)
    assert (before.pinned, after.pinned) == (True, True)
    assert (after.frequency, after.access_count) == (before.frequency + 1, before.access_count + 1)


def test_counters_survive_a_restart(harness: Harness, mine: MemoryScope) -> None:
    fact = next(one for one in mine.recall("food2", limit=20) if one.kind == "fact")
    harness.parts.accesses.close()

    again = Memory.connect(harness.parts.url, home=harness.parts.settings.home)
    try:
        assert MemoryScope(parts_of(again), mine.scope).standing(fact).access_count == 1
    finally:
        again.close()


def test_an_episode_that_repeats_itself_confirms_a_fact_once(harness: Harness, mine: MemoryScope) -> None:
    fact = fact_of(mine)
    assert stands(harness, mine.scope, fact.id).frequency == 0

    mine.push("I like food2. I like food2!", key="twice")
    mine.push("I like food2", key="once")
    mine.consolidate()

    standing = stands(harness, mine.scope, fact.id)
    assert (standing.frequency, standing.reinforced is None) == (2, False)


def test_accesses_that_cannot_be_written_are_written_later(harness: Harness, mine: MemoryScope) -> None:
    stop_clock(harness.owner_url, now(harness))
    fact = fact_of(mine)

    again = replace(fact, id=fact.id, scope=replace(mine.scope, user="gone"))
    harness.parts.accesses.add(mine.scope.tenant, [fact, fact, replace(again, scope=None)])
    write_accesses(parts_of(mine))

    assert stands(harness, mine.scope, fact.id).access_count == 3
