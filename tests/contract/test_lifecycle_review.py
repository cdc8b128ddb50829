"""What is easily lost or stuck at night: between two transactions, between two writers, between two tenants."""

import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace

import psycopg
import pytest

from slowwave.core.policy import BARE, Policy
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, CONSOLIDATE, DECAY, DETECT_PATTERNS, PREPARE, SUMMARISE, SWEEP
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound, SlowwaveError, Unavailable
from slowwave.memory import MemoryScope, work
from slowwave.memory.continuum import ContinuumMemory
from slowwave.retrieval.recall import recall
from slowwave.store.database import Database
from slowwave.store.dead_letters import dead_letters
from slowwave.store.operator import tally
from slowwave.store.recall.recall import Memories
from slowwave.store.standing import accesses
from slowwave.store.tiers.sweep import PostgresSweep
from slowwave.wiring.parts import Parts
from tests.contract.desk import Desk
from tests.contract.keepings import tell
from tests.contract.lessons import attempt
from tests.contract.projects import Project
from tests.contract.standings import chosen, later, now, put, run
from tests.faults.waiting import until


def killed(*_: object, **__: object) -> None:
    """Die as a process does."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["overflow", "evict", "mark_swept"])
def test_room_is_made_though_a_sweep_was_killed_before_it_was(
    desk: Desk, scope: Scope, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    chosen(desk, "aragora_hope")
    for _ in range(205):
        put(desk, scope, tier="slow", base=0.4, sweep_due=now(desk))
    with monkeypatch.context() as patched:
        patched.setattr(PostgresSweep, step, killed)
        with pytest.raises(KeyboardInterrupt):
            run(desk, SWEEP)

    desk.later(desk.lease + 1)
    run(desk, SWEEP)

    assert desk.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180
    run(desk, SWEEP)
    assert not desk.value("SELECT count(*) FROM standing WHERE sweep_due <= slowwave_now()")


_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


def race(desk: Desk, fact: uuid.UUID, *acts: Callable[[], object]) -> list[object]:
    """Do *acts* one after the other while somebody has the standing of *fact*; return what each came to."""
    results: list[object] = [None] * len(acts)

    def do(number: int) -> None:
        try:
            results[number] = acts[number]()
        except SlowwaveError as error:
            results[number] = error

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(acts))]
    with psycopg.connect(desk.superuser_url) as holder:
        holder.execute("SELECT FROM standing WHERE memory = %s FOR UPDATE", (fact,))
        for number, thread in enumerate(threads):
            thread.start()
            until(
                lambda number=number, thread=thread: desk.value(_WAITING) > number or not thread.is_alive(),  # type: ignore[misc]  # bound here
                "an act waits, or is done",
            )
    for thread in threads:
        thread.join()
    return results


def known(desk: Desk, scope: Scope) -> tuple[uuid.UUID, uuid.UUID]:
    """Let two likes be known; return the facts in the order in which they are locked."""
    desk.told(scope, 2)
    desk.drain()
    first, second = (fact for (fact,) in desk.rows("SELECT fact FROM facts WHERE scope = %s ORDER BY fact", scope.id))
    return first, second


def recalled(desk: Desk, scope: Scope, fact: uuid.UUID) -> Callable[[], object]:
    """Return what counts that *fact* was recalled."""
    found = [one for one in MemoryScope(desk.parts, scope).recall("what do I like?", limit=20) if one.id == fact]
    desk.parts.accesses.flush()
    desk.rows("UPDATE standing SET access_count = 0")

    def count() -> None:
        desk.parts.accesses.add(scope.tenant, found)
        desk.parts.accesses.flush()

    return count


def test_what_is_recalled_while_it_is_said_again_stops_nobody(desk: Desk, scope: Scope) -> None:
    first, second = known(desk, scope)
    count = recalled(desk, scope, second)
    again = [Episode(content=f"I like food{number}", key=f"again{number}") for number in (1, 2, 3)]
    desk.parts.push(scope, again)
    work.fire(desk.parts, scope.id)
    while (said := desk.claimed("ann", scope=scope, jobs=(PREPARE, CONSOLIDATE))).job == PREPARE:
        desk.settle(said)

    results = race(desk, first, lambda: desk.settle(said), count)

    assert results == [{"noop": 2, "add": 1}, None]
    assert desk.value("SELECT access_count FROM standing WHERE memory = %s", second) == 1


def test_a_promotion_waits_for_nobody_who_has_a_memory_in_hand(desk: Desk) -> None:
    project = Project(desk)
    fact = project.living()
    promotion = project.claimed("ann")
    results: list[object] = []
    settling = threading.Thread(target=lambda: results.append(desk.settle(promotion)))

    with psycopg.connect(desk.superuser_url) as holder:
        holder.execute("SELECT FROM standing WHERE memory = %s FOR UPDATE", (fact,))
        settling.start()
        until(lambda: desk.value(_WAITING) > 0 or not settling.is_alive(), "it waits, or is done")
        holder.execute("SELECT FROM facts WHERE fact = %s FOR UPDATE", (fact,))  # as whoever closes it does
    settling.join()

    assert results == [{"add": 1}]
    assert (project.promote(), project.promote(), project.live()) == ({"looked": 1}, {}, 1)


def buried(desk: Desk, scope: Scope, job: str, *guilty: int) -> None:
    """Do all that is due of *job*, but for some episodes, which become dead letters."""
    while run := desk.claim("ann", scope=scope, jobs=(job,)):
        if run.lo == run.hi and run.lo in guilty:
            desk.parts.runs.bury(run, category="fault", reason="it broke")
        elif set(run.positions) & set(guilty):
            desk.parts.runs.narrow(run, "it broke")
        else:
            desk.settle(run)


def retried(desk: Desk, scope: Scope) -> None:
    """Take every open letter up again, and do what comes of it."""
    with desk.parts.database.tenant(scope.tenant) as connection:
        dead_letters.ask_again(connection, dead_letters.letters(connection, state="open"))
    assert desk.drain()["ok"]
    assert not desk.value("SELECT count(*) FROM intents WHERE job = 'retry'")


def test_a_letter_of_preparing_is_retried_by_preparing_and_counts_its_episodes_once(desk: Desk, scope: Scope) -> None:
    desk.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}") for number in range(1, 9)])
    buried(desk, scope, PREPARE, 3, 6)
    assert desk.value("SELECT episodes FROM conversations") == 6

    retried(desk, scope)

    assert desk.value("SELECT episodes FROM conversations") == 8
    assert desk.value("SELECT count(*) FROM episode_vectors WHERE scope = %s", scope.id) == 8


def test_letters_of_patterns_are_retried_by_what_detects_them(desk: Desk, scope: Scope) -> None:
    tried = [*attempt(("search", "pay")), *attempt(("search", "pay")), *attempt(("look", "pay"))]
    desk.parts.push(scope, tried)
    desk.drain()
    desk.parts.schedule.fire_manually(by="test", scopes=[scope.id], pack="_patterns")
    buried(desk, scope, DETECT_PATTERNS, 3, 9)
    known = "SELECT tools, successes FROM strategies ORDER BY tools"
    assert desk.rows(known) == [(["search", "pay"], 1)]

    retried(desk, scope)

    assert desk.rows(known) == [(["look", "pay"], 1), (["search", "pay"], 2)]
    assert desk.value("SELECT sum(calls) FROM tool_stats") == 6


def test_a_letter_of_summaries_is_retried_by_what_summarises(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 1)
    desk.drain()
    desk.parts.schedule.fire_manually(by="test", scopes=[scope.id], pack="_summarise")
    buried(desk, scope, SUMMARISE, 1)
    summaries = "SELECT count(*) FROM facts WHERE predicate = 'summary'"
    assert desk.value(summaries) == 0

    retried(desk, scope)

    assert desk.value(summaries) == 1


@pytest.mark.parametrize("counting", [accesses.Accesses, tally.Tally])
def test_a_tenant_that_cannot_be_written_keeps_no_other_from_being_counted(
    desk: Desk, scope: Scope, counting: type[accesses.Accesses | tally.Tally]
) -> None:
    _, fact = known(desk, scope)
    others = replace(scope, tenant="aaa")  # the first in line
    found = [one for one in MemoryScope(desk.parts, scope).recall("what do I like?", limit=20) if one.id == fact]
    down = [True]

    def policy_of(tenant: str) -> Policy:
        if down and tenant == others.tenant:
            raise Unavailable("somebody holds what is theirs", retry_after_seconds=1)
        return BARE

    database = Database(desk.parts.url, policy_of=policy_of)
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
    assert desk.value(counted, fact, fact) == 1
    down.clear()
    counts.close()
    assert desk.value(counted, fact, fact) == 1
    database.close()


def recollections(desk: Desk, scope: Scope) -> dict[str, Recollection]:
    """Return a fact and an episode that are recalled, uncounted, by their kind."""
    known(desk, scope)
    found = recall("what do I like?", [scope], store=Memories(desk.parts.database), embedder=desk.parts.embedder)
    return {one.kind: one for one in found}


def test_what_is_said_of_another_tenants_memory_is_refused_and_leaves_nothing(desk: Desk, scope: Scope) -> None:
    theirs = recollections(desk, scope)
    other = MemoryScope(desk.parts, replace(scope, tenant="other"))

    for one in theirs.values():
        for act in (other.pin, other.unpin, other.feedback):
            with pytest.raises(NotFound):
                act(one)

    assert desk.rows("SELECT DISTINCT tenant FROM standing") == [("default",)]
    MemoryScope(desk.parts, scope).pin(theirs["episode"])
    assert desk.value("SELECT pinned FROM standing WHERE memory = %s", theirs["episode"].id)


def test_a_fact_withdrawn_since_it_was_recalled_stands_nowhere_again(desk: Desk, scope: Scope) -> None:
    fact = recollections(desk, scope)["fact"]
    desk.rows("DELETE FROM standing WHERE memory = %s", fact.id)  # as decay and the archive do with the belief

    desk.parts.accesses.add(scope.tenant, [fact])
    desk.parts.accesses.flush()

    assert desk.value("SELECT count(*) FROM standing WHERE memory = %s", fact.id) == 0


def test_a_conversation_that_goes_on_is_not_put_away_before_its_newest_words_are_prepared(
    desk: Desk, scope: Scope
) -> None:
    tell(desk, scope, "I live in Oslo")
    later(desk, days=91)
    desk.parts.push(scope, [Episode(content="I like figs", key="figs", session="s1")])

    counts = run(desk, ARCHIVE)
    desk.drain()

    assert counts.get("archived", 0) == 0
    assert desk.rows("SELECT episodes, archived FROM conversations") == [(2, None)]
    later(desk, days=91)
    assert run(desk, ARCHIVE)["archived"] == 1


def test_who_faded_and_came_back_can_fade_again(desk: Desk, scope: Scope) -> None:
    faded = "SELECT count(*) FROM entities WHERE faded IS NOT NULL"

    def fades() -> int:
        later(desk, days=100)
        run(desk, DECAY)
        run(desk, DECAY)
        return int(desk.value(faded))

    tell(desk, scope, "I live in Oslo")
    assert fades() == 1
    tell(desk, scope, "I like figs", session="s2")
    assert (desk.value(faded), fades()) == (0, 1)
    MemoryScope(desk.parts, scope).recall("what do I like?", limit=20)
    desk.parts.accesses.flush()
    assert (desk.value(faded), fades()) == (0, 1)


def test_an_entry_that_waits_in_the_outbox_is_returned_as_it_was_stored(
    desk: Desk, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = ContinuumMemory(desk.parts, scope)

    def spooled(_: Parts, scope: Scope, items: Sequence[Episode]) -> list[Receipt]:
        return [Receipt(uuid.uuid5(scope.id, one.key), one.key, "spooled") for one in items]

    monkeypatch.setattr(Parts, "push", spooled)

    stored = entry.store("I like figs", tier="cold", importance=0.7, source="chat", topic="food", key="figs")

    assert (stored.content, stored.tier, stored.importance) == ("I like figs", "cold", 0.7)
    assert (stored.source, stored.topic, stored.metadata) == ("chat", "food", {})
