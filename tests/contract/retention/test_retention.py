"""Retention: what is unused is tombstoned, dropped or archived when its period ends; what is held stays."""

from datetime import timedelta

import pytest

from slowwave.core.graph.edges import entity_id
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, MemoryScope
from tests.contract.harness import Harness, somebody
from tests.contract.memory_state.harness import changed, later, now, run, stands
from tests.contract.retention.harness import (
    Keep,
    archived,
    believed,
    entity_row,
    expired,
    keep,
    recalled,
    tell,
    tombstoned,
    withdraw,
)
from tests.ledger import rebuilt

__all__ = ["keep"]

DAY = timedelta(days=1)


# entities


def test_a_fact_creates_entities_for_its_subject_and_object(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo", "I like figs")

    named = [("Oslo", "oslo"), ("figs", "figs"), ("user", " USER")]
    assert harness.rows('SELECT entity, name, due FROM entities ORDER BY name COLLATE "C"') == [
        (entity_id(scope.id, written), name, None) for name, written in named
    ]
    standing = stands(harness, scope, entity_id(scope.id, "user"))
    assert (standing.kind, standing.base, standing.access_count) == ("entity", 1.0, 0)


def test_an_entity_is_checked_only_when_its_tombstone_is_possible(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    withdraw(harness, scope)
    began = stands(harness, scope, entity_id(scope.id, "user")).used

    assert run(harness, ARCHIVE) == {"episodes": 0}
    assert run(harness, ARCHIVE) == {}, "it is not asked for before it can rest"
    due = entity_row(harness, scope, "user")["due"]
    assert due is not None
    assert due - began < timedelta(days=30, minutes=1), "no later, for the policy may have changed"

    later(harness, days=31)
    assert run(harness, ARCHIVE) == {"episodes": 0}
    due = entity_row(harness, scope, "user")["due"]
    assert due is not None
    assert timedelta(days=44) < due - began < timedelta(days=46), "0.95 a day crosses 0.1 after 44.9 days"

    later(harness, days=15)
    assert run(harness, ARCHIVE)["tombstoned"] == 2
    assert tombstoned(harness) == {"user", "Oslo"}


# facts


def test_a_fact_is_dropped_after_the_retention_of_its_kind(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": 200 * DAY})
    tell(harness, scope, "I live in Oslo", "I like figs")
    later(harness, days=150)
    used = harness.value("SELECT fact FROM facts WHERE object = 'figs'")
    changed(harness, used, last_access=now(harness))
    later(harness, days=49)
    assert run(harness, ARCHIVE).get("dropped") is None
    later(harness, days=2)

    assert run(harness, ARCHIVE)["dropped"] == 1

    assert believed(harness, scope) == {"figs"}
    (dropped,) = harness.rows("SELECT kind, mode, rule, pack FROM deltas WHERE kind = 'delete'")
    assert dropped == ("delete", "withdraw", "archive/default", "_archive")
    assert harness.rows("SELECT key FROM delta_sources JOIN deltas ON id = delta WHERE kind = 'delete'") == [
        ("s1/I live in Oslo",)
    ], "it cites the fact's own source"
    with harness.parts.database.tenant(scope.tenant):
        folded, table = rebuilt(harness.parts, scope)
    assert folded == table

    tell(harness, scope, "I live in Oslo", session="again")
    assert {"Oslo", "figs"} <= believed(harness, scope), "it may be learned again"


@pytest.mark.parametrize(("kind", "pinned"), [("procedural", False), ("semantic", True)])
def test_pinned_facts_and_kinds_without_a_retention_period_are_never_dropped(
    harness: Harness, scope: Scope, keep: Keep, kind: str, pinned: bool
) -> None:
    keep(drop_after={kind: DAY})
    tell(harness, scope, "I live in Oslo")
    changed(harness, harness.value("SELECT fact FROM facts"), pinned=pinned)
    later(harness, days=3650)

    run(harness, ARCHIVE)

    assert believed(harness, scope) == {"Oslo"}


def test_the_archive_job_skips_a_scope_that_a_worker_holds(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": DAY})
    tell(harness, scope, "I live in Oslo")
    later(harness, days=2)
    harness.told(scope, 1)
    busy = harness.claimed("ann", scope=scope)

    assert run(harness, ARCHIVE) == {"episodes": 0, "left": 1}
    harness.settle(busy)

    assert run(harness, ARCHIVE)["dropped"] == 1


def test_tier_moves_and_confirmations_never_shorten_retention(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": 100 * DAY})
    tell(harness, scope, "I live in Oslo")
    fact = harness.value("SELECT fact FROM facts")
    later(harness, days=60)
    for tier in ("hot", "warm", "cold"):
        changed(harness, fact, tier=tier, moved=now(harness))
    changed(harness, fact, reinforced=now(harness))
    later(harness, days=99)

    run(harness, ARCHIVE)

    assert believed(harness, scope) == {"Oslo"}


# episodes


def summarised(harness: Harness, scope: Scope) -> None:
    """Have the sessions of *scope* summarised."""
    harness.rows("UPDATE intents SET due = slowwave_now(), hastened = true WHERE scope = %s", scope.id)
    harness.drain()


def test_archived_episodes_expire_unless_an_open_fact_cites_them(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"episodic": 200 * DAY})
    tell(harness, scope, "I live in Oslo", session="cited")
    tell(harness, scope, "The harbour is quiet", session="free")
    later(harness, days=199)
    run(harness, ARCHIVE)
    assert (archived(harness), expired(harness)) == ({"cited", "free"}, set())
    later(harness, days=2)

    run(harness, ARCHIVE)
    assert expired(harness) == {"free"}
    assert "The harbour is quiet" not in recalled(harness, scope, "harbour", archived=True)
    assert "I live in Oslo" in recalled(harness, scope, "Oslo", archived=True)

    withdraw(harness, scope)
    assert run(harness, ARCHIVE)["expired"] == 1
    assert expired(harness) == {"cited", "free"}
    assert run(harness, ARCHIVE).get("expired") is None


def test_an_expired_conversation_does_not_return_with_a_new_episode(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"episodic": 100 * DAY})
    tell(harness, scope, "The cello needs new strings")
    summarised(harness, scope)
    later(harness, days=101)
    run(harness, ARCHIVE)
    assert expired(harness) == {"s1"}
    with pytest.raises(NotFound):
        MemoryScope(harness.parts, scope).restore("s1")

    tell(harness, scope, "The cello is mended")
    summarised(harness, scope)

    said = recalled(harness, scope, "cello", archived=True)
    assert "The cello is mended" in said
    assert not [text for text in said if "strings" in text]
    assert (archived(harness), expired(harness)) == (set(), set())


def test_the_summary_of_a_conversation_is_kept_as_long_as_the_conversation(
    harness: Harness, scope: Scope, keep: Keep
) -> None:
    keep(drop_after={"episodic": 100 * DAY})
    for number in range(8):
        tell(harness, scope, f"The cello number {number} needs new strings from Cremona")
    summaries = "SELECT count(*) FROM facts WHERE predicate = 'summary' AND upper_inf(recorded)"
    summarised(harness, scope)
    assert harness.value(summaries) == 1
    assert harness.rows("SELECT name FROM entities WHERE name LIKE 'session/%%'") == []

    later(harness, days=99)
    run(harness, ARCHIVE)
    assert harness.value(summaries) == 1, "it outlives the archiving"
    later(harness, days=2)
    run(harness, ARCHIVE)

    assert (harness.value(summaries), expired(harness)) == (0, {"s1"})


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
