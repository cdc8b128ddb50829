"""The archive: untouched conversations are archived once and can be restored; held ones stay."""

from datetime import timedelta

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from tests.contract.harness import Harness, somebody
from tests.contract.memory_state.harness import later, now, run
from tests.contract.retention.harness import (
    Keep,
    archived,
    believed,
    expired,
    keep,
    recalled,
    tell,
    tombstoned,
    withdraw,
)

__all__ = ["keep"]


def test_an_old_episode_is_archived_by_its_time_of_receipt(harness: Harness, scope: Scope) -> None:
    old = Episode(content="I live in Oslo", key="old", session="s1", occurred_at=now(harness) - timedelta(days=900))
    harness.parts.push(scope, [old])
    harness.drain()

    assert run(harness, ARCHIVE) == {}


def test_a_new_episode_restores_its_archived_conversation(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "The cello needs new strings")
    MemoryScope(harness.parts, scope).archive("s1")

    harness.parts.push(scope, [Episode(content="The cello is mended", key="back", session="s1")])
    assert recalled(harness, scope, "cello") == {"The cello is mended"}

    harness.drain()
    assert recalled(harness, scope, "cello") == {"The cello is mended", "The cello needs new strings"}
    assert archived(harness) == set()


def test_preparing_an_earlier_episode_does_not_restore_an_archived_conversation(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "The cello needs new strings")
    harness.parts.push(scope, [Episode(content="It is an old cello", key="late", session="s1")])
    MemoryScope(harness.parts, scope).archive("s1")

    harness.drain()

    assert recalled(harness, scope, "cello") == set()


def test_archiving_and_restoring_twice_changes_nothing(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    here = MemoryScope(harness.parts, scope)

    assert [here.archive("s1"), here.archive("s1")] == [True, False]
    assert [here.restore("s1"), here.restore("s1")] == [True, False]
    assert here.archive("s1")
    assert [one.session for one in Memory(harness.parts).archived(here)] == ["s1"]


def test_a_restored_conversation_is_archived_again_only_after_the_whole_time(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    later(harness, days=91)
    run(harness, ARCHIVE)
    MemoryScope(harness.parts, scope).restore("s1")

    later(harness, days=89)
    assert run(harness, ARCHIVE) == {}
    later(harness, days=2)
    assert run(harness, ARCHIVE)["archived"] == 1


def test_archiving_and_restoring_does_not_revive_a_forgotten_fact(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo", "I like figs")
    tell(harness, scope, "Forget that I live in Oslo", session="s2")
    assert believed(harness, scope) == {"figs"}
    here = MemoryScope(harness.parts, scope)
    for session in ("s1", "s2"):
        here.archive(session)
        here.restore(session)

    tell(harness, scope, "I live in Oslo", session="s3")

    assert believed(harness, scope) == {"figs"}


def test_archiving_an_unknown_conversation_is_refused(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    here = MemoryScope(harness.parts, scope)
    for act in (here.archive, here.restore):
        with pytest.raises(NotFound):
            act("another")


# holds


def test_a_legal_hold_prevents_archiving_and_expiry(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": timedelta(days=100), "episodic": timedelta(days=100)})
    other = somebody()
    for one in (scope, other):
        tell(harness, one, "I live in Oslo", session=one.user)
    memory = Memory(harness.parts)
    hold = memory.hold(MemoryScope(harness.parts, scope), "a court asked")
    later(harness, days=200)

    run(harness, ARCHIVE)

    assert archived(harness) == expired(harness) == {other.user}
    assert (believed(harness, scope), believed(harness, other)) == ({"Oslo"}, set())
    with pytest.raises(Conflict):
        MemoryScope(harness.parts, scope).archive(scope.user)
    assert harness.parts.schedule.fire_job(ARCHIVE, pack_of(ARCHIVE), by="test") <= 1  # the other's entity

    assert [memory.release(hold), memory.release(hold)] == [True, False]
    run(harness, ARCHIVE)
    assert expired(harness) == {scope.user, other.user}
    assert believed(harness, scope) == set()


def test_a_hold_on_a_tenant_covers_every_scope_of_it(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    hold = memory.hold(None, "an audit")
    later(harness, days=200)

    assert run(harness, ARCHIVE) == {}
    assert memory.archive_preview(30).archived == []

    memory.release(hold)
    assert run(harness, ARCHIVE)["archived"] == 1


def test_a_hold_is_audited_and_says_why(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    hold = memory.hold(MemoryScope(harness.parts, scope), "a court asked")
    memory.release(hold)

    said = harness.rows("SELECT detail->>'action', detail->>'reason' FROM audit_log WHERE detail ? 'hold' ORDER BY id")
    assert said == [("hold", "a court asked"), ("release", None)]
    assert [(one.hold, one.scope, one.reason) for one in memory.holds()] == [(hold, scope, "a court asked")]
    with pytest.raises(Incorrect):
        MemoryScope(harness.parts, scope).hold(" ")
    with pytest.raises(NotFound):
        memory.hold(MemoryScope(harness.parts, somebody()), "nobody has spoken there")
    with pytest.raises(NotFound):
        memory.release(hold + 1)


def test_a_policy_with_a_legal_hold_removes_nothing(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(legal_hold=True)
    tell(harness, scope, "I live in Oslo")
    withdraw(harness, scope)
    later(harness, days=500)

    assert run(harness, ARCHIVE) == {}
    assert (archived(harness), tombstoned(harness)) == (set(), set())
