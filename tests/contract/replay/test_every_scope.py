"""A replay for a whole tenant: each scope for itself, one order, and no other tenant."""

from dataclasses import replace
from typing import Any

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory
from slowwave.memory.undoing import replaying
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.replay.packs import deaf, install, mishearing, moody
from tests.contract.replay.test_replay import MILK, OSLO, TEA, of, written
from tests.contract.undo.undoing import tell, tell_all, texts

SAID = ["I live in Oslo", "I like tea", "I like milk"]


def told(harness: Harness, count: int = 3) -> list[Scope]:
    """Return scopes, in order, with the same episodes."""
    scopes = sorted((somebody() for _ in range(count)), key=lambda scope: scope.user)
    for scope in scopes:
        tell(harness, scope, SAID)
    return scopes


def test_a_replay_of_a_tenant_equals_a_first_reading_in_every_scope_and_is_undone_by_its_id(
    harness: Harness, memory: Memory
) -> None:
    install(harness.parts, mishearing(Oslo="Osaka"))
    scopes = told(harness)
    before = [believed(harness, scope) for scope in scopes]
    install(harness.parts, deaf("tea"), version=2)
    always = somebody()
    tell(harness, always, SAID)
    rows = written(harness)

    seen = memory.replay("everyday@2", preview=True)
    assert written(harness) == rows
    done = memory.replay("everyday@2", by="Anna", reason="misheard")

    assert [believed(harness, scope) for scope in scopes] == [believed(harness, always)] * 3
    assert [(len(one.withdrawn), len(one.restored), len(one.scopes)) for one in (seen, done)] == [(6, 3, 3)] * 2
    assert (done.what, done.by, len(done.runs), done.skipped) == ("the replay of everyday@2", "Anna", 3, ())
    assert set(seen.scopes) == set(done.scopes) == set(scopes), "the fourth scope has nothing to change"
    assert memory.undos() == [done]
    assert (seen.id, seen.preview) == (None, True)
    back = memory.undo(done.id)
    assert len(back.runs) == 3
    assert [believed(harness, scope) for scope in scopes] == before
    assert texts(harness, always) == [MILK, OSLO]
    memory.undo(back.id)
    assert [believed(harness, scope) for scope in scopes] == [believed(harness, always)] * 3
    sound(harness, always, *scopes)


def test_a_replay_of_a_tenant_by_the_same_rules_writes_nothing(harness: Harness, memory: Memory) -> None:
    scopes = told(harness)
    memory.undo(of(memory, scopes[0]).deltas()[0].id)
    harness.drain()
    before = written(harness)

    done = memory.replay("everyday")

    assert (done.withdrawn, done.restored, done.changed, done.runs, done.id) == ((), (), (), (), None)
    assert (done.skipped, written(harness)) == ((), before)


def test_a_replay_of_a_tenant_reads_and_changes_no_other_tenant(harness: Harness, memory: Memory) -> None:
    (mine,) = told(harness, 1)
    theirs = [replace(mine, tenant="theirs"), replace(somebody(), tenant="theirs")]
    for scope in theirs:
        tell_all(harness, scope, episodes(SAID))
    before = [believed(harness, scope) for scope in theirs]
    install(harness.parts, deaf("tea"))

    done = memory.replay("everyday")
    assert {one.scope for one in (*done.withdrawn, *done.restored)} == set(done.scopes) == {mine}
    assert [believed(harness, scope) for scope in theirs] == before
    assert texts(harness, mine) == [MILK, OSLO]
    assert memory.undos(tenant="theirs") == []

    seen = memory.replay("everyday", preview=True, tenant="theirs")
    assert set(seen.scopes) == {one.scope for one in seen.withdrawn} == set(theirs)
    with pytest.raises(Incorrect, match="has read nothing in the tenant 'nobody'"):
        memory.replay("everyday", tenant="nobody")
    done = memory.replay("everyday", tenant="theirs")
    assert set(done.scopes) == set(theirs)
    memory.undo(done.id, tenant="theirs")
    assert [believed(harness, scope) for scope in theirs] == before
    assert texts(harness, mine) == [MILK, OSLO]


def test_a_scope_that_cannot_be_replayed_is_named_and_the_others_are_replayed(harness: Harness, memory: Memory) -> None:
    install(harness.parts, deaf("tea"))
    held, free = told(harness, 2)
    erased = somebody()
    first, *_ = tell(harness, erased, ["I live in Lisbon", "I just moved to Oslo", "I live in Oslo"])
    harness.rows("DELETE FROM delta_payloads p USING deltas d WHERE d.id = p.delta AND d.run = %s", first)
    kept = believed(harness, erased)
    harness.told(held, 1, start=4)
    run = harness.claimed(scope=held)
    install(harness.parts, deaf("milk", "Oslo"))
    for preview in (True, False):
        done = memory.replay("everyday", preview=preview, timeout=0)
        why = {one.scope: (one.problem, one.hint) for one in done.skipped}
        assert set(why) == ({erased} if preview else {erased, held})
        assert "words behind them were erased" in why[erased][0]
        assert why[erased][1]
    assert "a worker holds this scope now" in why[held][0]
    assert done.scopes == (free,)
    assert (texts(harness, free), texts(harness, held)) == ([TEA], [MILK, OSLO])
    new = believed(harness, free)

    harness.settle(run)
    done = memory.replay("everyday")

    assert ([one.scope for one in done.skipped], done.scopes) == ([erased], (held,))
    assert texts(harness, held) == ["The user likes food4", TEA]
    assert believed(harness, free) == new, "a scope that is replayed already does not change"
    assert believed(harness, erased) == kept


def test_a_tenants_replay_waits_for_a_worker(harness: Harness, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    (held, other) = told(harness, 2)
    harness.told(held, 1, start=4)
    run = harness.claimed(scope=held)
    install(harness.parts, deaf("tea"))
    first_wait = replaying._wait

    def wait(*arguments: Any) -> None:
        assert texts(harness, other) == [MILK, OSLO], "the other scopes do not wait"
        harness.settle(run)
        monkeypatch.setattr(replaying, "_wait", first_wait)

    monkeypatch.setattr(replaying, "_wait", wait)
    done = memory.replay("everyday")

    assert (done.skipped, set(done.scopes)) == ((), {held, other})
    assert texts(harness, held) == ["The user likes food4", MILK, OSLO]


def test_a_replay_of_a_tenant_is_undone_only_after_the_later_replays_of_its_scopes(
    harness: Harness, memory: Memory
) -> None:
    install(harness.parts, moody(0))
    scopes = told(harness)
    before = [believed(harness, scope) for scope in scopes]
    install(harness.parts)
    first = memory.replay("everyday")
    install(harness.parts, deaf("milk"))
    second = of(memory, scopes[1]).replay("everyday")

    with pytest.raises(Incorrect, match="the replay of everyday@1 came later") as refused:
        memory.undo(first.id)
    assert refused.value.hint == f"undo that first: `slowwave undo {second.id}`"
    memory.undo(second.id)
    memory.undo(first.id)
    assert [believed(harness, scope) for scope in scopes] == before
