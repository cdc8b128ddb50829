"""AgentX, cleanup and data retention: conversations, entities and the audit log, by the document's numbers."""

from datetime import timedelta

import pytest

from slowwave.core.graph.edges import entity_id
from slowwave.domain.audit import AuditFilter
from slowwave.domain.job_table import ARCHIVE, DECAY
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.rules.lifecycle import load_preset
from slowwave.store.memory_state import entities
from tests.contract import harness as harnesses
from tests.contract.conftest import harness
from tests.contract.memory_state.harness import later, now, run, stands
from tests.contract.retention.harness import Keep, archived, entity_row, keep, recalled, tell, tombstoned, withdraw
from tests.integration.store.partitioned import run as made_and_dropped

__all__ = ["harness", "keep"]
AGENTX = load_preset("agentx").policies.everybody
NINETY, THIRTY = timedelta(days=90), timedelta(days=30)


@pytest.mark.requirement("S2.75")
@pytest.mark.parametrize("days", [30, 90])
def test_conversations_older_than_ninety_days_are_archived_and_the_number_can_be_set(
    harness: harnesses.Harness, scope: Scope, keep: Keep, days: int
) -> None:
    assert AGENTX.retention.archive_conversations_after == NINETY
    keep(archive_conversations_after=timedelta(days=days))
    tell(harness, scope, "The harbour is quiet", "I live in Oslo")

    later(harness, days=days, hours=-1)
    run(harness, ARCHIVE)
    assert archived(harness) == set()

    later(harness, hours=2)
    run(harness, ARCHIVE)
    assert archived(harness) == {"s1"}
    assert "The harbour is quiet" not in recalled(harness, scope, "harbour")
    assert "The user lives in Oslo" in recalled(harness, scope, "where does the user live")
    assert MemoryScope(harness.parts, scope).restore("s1")
    assert "The harbour is quiet" in recalled(harness, scope, "harbour")


@pytest.mark.requirement("S2.76")
def test_entities_below_0_1_without_access_for_thirty_days_are_tombstoned(
    harness: harnesses.Harness, scope: Scope, keep: Keep
) -> None:
    assert (AGENTX.retention.entity_floor, AGENTX.retention.entity_idle) == (0.1, THIRTY)
    keep(entity_floor=0.1, entity_idle=THIRTY)
    tell(harness, scope, "I live in Oslo")
    withdraw(harness, scope)

    later(harness, days=44)  # 0.95 ** 44 = 0.1047: idle for long enough, and not weak enough
    run(harness, ARCHIVE)
    assert tombstoned(harness) == set()

    later(harness, days=1)  # 0.95 ** 45 = 0.0994
    run(harness, ARCHIVE)
    assert tombstoned(harness) == {"user", "Oslo"}


@pytest.mark.requirement("S2.76")
def test_an_entity_that_is_weak_but_was_accessed_within_thirty_days_stays(
    harness: harnesses.Harness, scope: Scope, keep: Keep
) -> None:
    keep(entity_floor=0.99, entity_idle=THIRTY)
    tell(harness, scope, "I live in Oslo")
    withdraw(harness, scope)

    later(harness, days=29)
    run(harness, ARCHIVE)
    assert tombstoned(harness) == set()
    later(harness, days=2)
    run(harness, ARCHIVE)
    assert tombstoned(harness) == {"user", "Oslo"}


@pytest.mark.requirement("S2.35", "S2.76")
def test_cleanup_archives_old_conversations_and_tombstones_weak_entities_without_facts(
    harness: harnesses.Harness, scope: Scope
) -> None:
    tell(harness, scope, "I live in Oslo", "I like figs")
    later(harness, days=91)

    assert run(harness, ARCHIVE)["archived"] == 1
    withdraw(harness, scope, "Oslo")
    run(harness, ARCHIVE)
    assert tombstoned(harness) == {"Oslo"}, "there is a fact that needs the user"

    withdraw(harness, scope)
    assert run(harness, ARCHIVE)["tombstoned"] == 2
    assert tombstoned(harness) == {"Oslo", "figs", "user"}

    tell(harness, scope, "I like plums", session="s2")
    assert tombstoned(harness) == {"Oslo", "figs"}
    row = entity_row(harness, scope, "user")
    assert (row["faded"], row["due"]) == (None, None)


@pytest.mark.requirement("S2.68")
def test_an_entity_loses_a_twentieth_a_day_after_a_day_without_access(harness: harnesses.Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    began = stands(harness, scope, entity_id(scope.id, "user"))

    for hours, left in ((0, 1.0), (23.9, 1.0), (24, 0.95), (48, 0.95**2), (240, 0.95**10), (8_760, 0.95**365)):
        assert AGENTX.decay.strength(began, began.used + timedelta(hours=hours)) == pytest.approx(left, rel=1e-9)


@pytest.mark.requirement("S2.68")
def test_an_access_restarts_the_day_of_grace(harness: harnesses.Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    later(harness, days=60)
    run(harness, DECAY)
    assert entity_row(harness, scope, "user")["faded"] is not None
    with harness.parts.database.tenant(scope.tenant) as connection:
        entities.touch(
            connection,
            entities.about(connection, [(scope.id, harness.value("SELECT fact FROM facts WHERE object = 'Oslo'"))]),
        )

    standing = stands(harness, scope, entity_id(scope.id, "user"))
    assert AGENTX.decay.strength(standing, now(harness) + timedelta(hours=23)) == 1.0
    assert entity_row(harness, scope, "user")["faded"] is None
    assert standing.access_count == 1


@pytest.mark.requirement("S2.77")
def test_audit_rows_are_kept_longer_than_conversations(harness: harnesses.Harness, scope: Scope) -> None:
    def on_record() -> bool:
        made_and_dropped(harness.parts)
        return "store" in {row.operation for row in harness.parts.records.audit("default", AuditFilter(), most=50)}

    tell(harness, scope, "I live in Oslo")
    later(harness, days=91)
    run(harness, ARCHIVE)

    assert archived(harness) == {"s1"}
    assert on_record()
    later(harness, days=399 - 91)
    assert on_record()
    later(harness, days=3)
    assert not on_record()
