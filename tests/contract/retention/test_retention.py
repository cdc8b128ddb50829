"""Retention periods: unused entities are tombstoned, facts dropped, and archived conversations expired."""

from datetime import timedelta

import pytest

from slowwave.core.graph.edges import entity_id
from slowwave.domain.job_table import ARCHIVE
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory import MemoryScope
from tests.contract.harness import Harness
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
