"""AgentX, audit log: which rows each level writes, their columns, and that they are atomic with the change."""

import json
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import FactConflictError
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import Parts

Told = Callable[..., list[Episode]]


def rows(parts: Parts, **wanted: Any) -> list[AuditRow]:
    """The audit log, oldest first."""
    return parts.records.audit("default", AuditFilter(**wanted), most=1000)[::-1]


def lived(parts: Parts, scope: Scope, told: Told) -> MemoryScope:
    """A scope that learned a home, heard it again, moved, and was asked about it."""
    known = MemoryScope(parts, scope)
    known.push_many(told("I live in Lisbon", "I live in Lisbon", "I just moved to Oslo"))
    known.consolidate()
    known.recall("where do I live?")
    return known


def delta(known: MemoryScope, kind: str, **fields: Any) -> dict[str, Any]:
    """A typed delta by hand, resting on an episode of its own."""
    source = known.push("Somebody wrote this down by hand.", key="by-hand")
    return {
        "kind": kind,
        "source_episode_ids": [str(source.id)],
        "promotion_ts": "2026-03-03T00:00:00+00:00",
        "rule_id": "a person",
        "confidence": 0.9,
        **fields,
    }


PAYLOAD = {"subject": "user", "predicate": "lives_in", "object": "Riga", "single_valued": True}


@pytest.mark.requirement("S2.39")
@pytest.mark.parametrize(
    ("level", "operations"),
    [
        ("off", set()),
        ("writes", {"store", "update", "noop"}),
        ("reads", {"store", "update", "noop", "retrieve"}),
        ("verbose", {"store", "update", "noop", "retrieve"}),
    ],
)
def test_the_audit_level_selects_the_audited_operations(
    connected: Callable[..., Parts], scope: Scope, told: Told, level: str, operations: set[str]
) -> None:
    assert Settings.model_fields["audit"].default == "writes"
    parts = connected(audit=level)

    lived(parts, scope, told)

    assert {row.operation for row in rows(parts)} == operations


@pytest.mark.requirement("S2.39")
def test_only_the_level_verbose_stores_words(connected: Callable[..., Parts], scope: Scope, told: Told) -> None:
    quiet, loud = connected(audit="reads"), connected(audit="verbose")
    lived(quiet, scope, told)
    before = rows(quiet)
    assert not any(row.query_text or "payload" in row.detail for row in before)

    lived(loud, Scope("default", "bob", "concierge"), told)

    told_of = rows(loud)[len(before) :]
    (asked,) = [row for row in told_of if row.operation == "retrieve"]
    assert asked.query_text == "where do I live?"
    payloads = [word["object"] for row in told_of for word in row.detail.get("payload", [])]
    assert {"Lisbon", "Oslo"} <= set(payloads)
    (pushed,) = [row for row in told_of if row.memory_type == "episodic"]
    assert (pushed.operation, len(pushed.affected), pushed.session_id) == ("store", 3, "s1")


@pytest.mark.requirement("S2.38")
def test_an_audit_row_of_a_write_names_the_operation_and_the_memories(parts: Parts, scope: Scope, told: Told) -> None:
    known = lived(parts, replace(scope, channel="trip"), told)
    (fact,) = known.facts()

    (moved,) = [row for row in rows(parts) if row.operation == "update"]

    assert (moved.memory_type, moved.scope, moved.success) == ("semantic", known.scope.id, True)
    assert (moved.user_id, moved.source_channel, moved.session_id) == (scope.user, "trip", "s1")
    assert moved.affected[0] == fact.id
    assert len(moved.affected) == 2, "what was replaced is named, too"
    assert moved.detail["update"] == 1
    assert moved.run in {run.run for run in parts.records.runs("default", most=10)}


@pytest.mark.requirement("S2.38", "S2.42", "S2.18")
def test_an_audit_row_of_a_read_names_the_channels_and_crossings(
    connected: Callable[..., Parts], scope: Scope, told: Told
) -> None:
    parts = connected(audit="reads")
    everywhere = lived(parts, scope, told)
    trip = everywhere.in_channel("trip")
    trip.push("The hotel in Oslo is booked.", key="hotel")

    found = trip.recall("what about Oslo?")

    within, row = rows(parts, operation="retrieve")
    assert (within.target_channels, within.detail) == (["_global"], {"verb": "recall"}), "no crossing"
    assert (row.source_channel, row.target_channels) == ("trip", ["trip", "_global"])
    assert row.result_count == len(found) == len(row.affected)
    assert set(row.affected) == {one.id for one in found}
    assert row.latency_ms is not None
    assert 0 < row.latency_ms < 60_000
    here = {receipt.id for receipt in [trip.push("The hotel in Oslo is booked.", key="hotel")]}
    crossed = {uuid.UUID(id_) for id_ in row.detail["crossed"]["_global"]}
    assert crossed == {one.id for one in found} - here
    assert crossed


@pytest.mark.requirement("S2.18")
def test_a_fact_of_both_channel_and_global_is_recalled_once(parts: Parts, scope: Scope) -> None:
    everywhere = MemoryScope(parts, scope)
    trip, other = everywhere.in_channel("trip"), everywhere.in_channel("other")
    for known in (everywhere, trip):
        known.push("I live in Lisbon", key="home")
        known.consolidate()
    (there,) = everywhere.facts()
    (here,) = [fact for fact in trip.facts() if fact != there]

    def told(known: MemoryScope) -> list[uuid.UUID]:
        return [one.id for one in known.recall("where do I live?") if one.kind == "fact"]

    assert told(trip) == [here.id]
    assert told(everywhere) == told(other) == [there.id]


@pytest.mark.requirement("S2.58")
def test_learned_tool_statistics_are_audited_as_procedural(parts: Parts, scope: Scope) -> None:
    known = MemoryScope(parts, scope)
    for tool in ("search", "book"):
        known.strategies.record_invocation("talk", tool, tool, {}, "done", True, 20, task="travel")
    ended = {"success": True, "task": "travel"}
    known.push(Episode(content="so it ended", kind="outcome", session="talk", metadata=ended))
    known.consolidate()
    parts.schedule.fire_manually(by="test", scopes=[scope.id], pack=pack_of(DETECT_PATTERNS))
    Memory(parts_of(known)).drain()

    (row,) = rows(parts, memory_type="procedural")

    assert (row.operation, row.detail) == ("update", {"successes": 1, "failures": 0, "calls": 2})
    assert len(row.affected) == 1


@pytest.mark.requirement("S2.41")
def test_each_audit_row_contains_the_policy_in_force(connected: Callable[..., Parts], scope: Scope, told: Told) -> None:
    parts = connected(audit="verbose")
    known = lived(parts, scope, told)
    known.apply(delta(known, "noop"))
    in_force = json.loads(json.dumps(parts.lifecycle.policies.of("default").snapshot()))

    written = rows(parts)

    assert {row.operation for row in written} == {"store", "update", "noop", "retrieve"}
    for row in written:
        assert row.settings["audit"] == "verbose"
        assert row.settings["window"] == parts.settings.window
        assert row.settings["policy"] == in_force
    thresholds = in_force["promotion"]
    assert (thresholds["confidence"], thresholds["accesses"], thresholds["conversations"]) == (0.85, 5, 2)


def test_a_change_rolls_back_with_its_audit_row(parts: Parts, scope: Scope, told: Told, owner_url: str) -> None:
    """A change whose audit row cannot be written is rolled back."""
    known = lived(parts, scope, told)
    by_hand, digest = delta(known, "add", fact_payload={**PAYLOAD, "predicate": "likes"}), known.digest()
    with psycopg.connect(owner_url) as owner:
        owner.execute("ALTER TABLE audit_log ADD CONSTRAINT planted CHECK (operation <> 'store') NOT VALID")

    with pytest.raises(Exception, match="planted"):
        known.apply(by_hand)

    assert known.digest() == digest
    with psycopg.connect(owner_url) as owner:
        owner.execute("ALTER TABLE audit_log DROP CONSTRAINT planted")
    known.apply(by_hand)
    assert known.digest() != digest


def test_a_refused_delta_leaves_no_audit_row(parts: Parts, scope: Scope, told: Told) -> None:
    known = lived(parts, scope, told)
    before = Counter(row.operation for row in rows(parts))

    with pytest.raises(FactConflictError):
        known.apply(delta(known, "update", replaces=[str(uuid.uuid4())], fact_payload=PAYLOAD))
    assert Counter(row.operation for row in rows(parts)) == before

    fact = known.apply(delta(known, "add", fact_payload={**PAYLOAD, "predicate": "likes", "single_valued": False}))
    (step,) = known.why(fact).steps
    assert [evidence.key for evidence in step.evidence] == ["by-hand"]
    last = rows(parts)[-1]
    assert (last.affected, last.detail) == ([fact], {"add": 1, "pack": "_by_hand", "rules": ["a person"]})


@pytest.mark.requirement("S2.58")
def test_a_dead_letter_is_audited_as_a_failure(parts: Parts, scope: Scope, told: Told) -> None:
    known = MemoryScope(parts, scope)
    known.push_many(told("I live in Lisbon"))
    due_work.fire(parts, scope.id)
    run = parts.runs.claim(owner="ann", scope=scope.id, jobs=["consolidate"], overdue_seconds=0)
    assert run is not None

    parts.runs.bury(run, category="incorrect", reason="cannot be read")

    (row,) = rows(parts, failed=True)
    assert (row.success, row.error_message, row.run) == (False, "cannot be read", run.run)


@pytest.mark.requirement("S2.58")
def test_the_audit_log_has_the_documents_columns_and_is_partitioned_by_time(superuser: psycopg.Connection) -> None:
    found = superuser.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = 'audit_log'::regclass AND attnum > 0"
    )
    columns: dict[str, str] = dict(found.fetchall())

    assert columns | {
        "operation": "text", "memory_type": "text", "user_id": "text", "session_id": "text",
        "conversation_id": "text", "source_channel": "text", "target_channels": "text[]", "query_text": "text",
        "result_count": "integer", "latency_ms": "double precision", "success": "boolean", "error_message": "text",
        "promoted_from_channel": "text", "promotion_confidence": "double precision",
        "promotion_access_count": "integer", "promotion_conversation_count": "integer",
        "settings": "jsonb", "detail": "jsonb", "at": "timestamp with time zone",
    } == columns  # fmt: skip
    key = superuser.execute(
        "SELECT pg_get_partkeydef('audit_log'::regclass), pg_get_constraintdef(oid) "
        "FROM pg_constraint WHERE conrelid = 'audit_log'::regclass AND contype = 'p'"
    ).fetchone()
    assert key == ("RANGE (at)", "PRIMARY KEY (id, at)")
    default = superuser.execute(
        "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef d JOIN pg_attribute a ON (a.attrelid, a.attnum) = "
        "(d.adrelid, d.adnum) WHERE a.attrelid = 'audit_log'::regclass AND a.attname = 'success'"
    ).fetchone()
    assert default == ("true",)


@pytest.mark.requirement("S2.60")
@pytest.mark.parametrize("column", ["user_id", "session_id", "operation", "memory_type", "source_channel"])
def test_the_audit_log_has_an_index_for_each_filter(superuser: psycopg.Connection, column: str) -> None:
    found = superuser.execute("SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'audit_log'::regclass")

    assert any(definition.endswith(f"({column}, at)") for (definition,) in found)
