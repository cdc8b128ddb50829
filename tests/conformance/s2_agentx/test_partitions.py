"""AgentX: the audit log has daily partitions, made and dropped by a job; the schema lists its versions."""

from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from slowwave import wiring
from slowwave.core.policy import Policies
from slowwave.rules.lifecycle import load_lifecycle, load_preset
from slowwave.store import migrate
from slowwave.testing import move_clock
from tests.integration.store.partitioned import audit, now, of_day, partitions, run, where


@pytest.mark.requirement("S2.37", "S2.59")
def test_a_partition_a_day_is_made_ahead_and_dropped_by_the_retention(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    first = now(superuser)
    move_clock(owner_url, timedelta(days=399))
    run(parts)
    assert of_day(first) in partitions(superuser)

    move_clock(owner_url, timedelta(days=401))
    run(parts)

    today = now(superuser)
    assert of_day(first) not in partitions(superuser)
    assert {of_day(today + timedelta(days=number)) for number in range(31)} <= partitions(superuser)
    bounds = superuser.execute("SELECT hi - lo FROM slowwave_partitions() WHERE parent = 'audit_log'").fetchall()
    assert {width for (width,) in bounds} == {timedelta(days=1)}


@pytest.mark.requirement("S2.59")
def test_one_run_drops_all_expired_days_and_no_other(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    today = now(superuser)
    for age in (399, 400, 401, 402, 500):
        audit(superuser, today - timedelta(days=age))

    run(parts)

    assert where(superuser, "audit_log") == {of_day(today - timedelta(days=age)): 1 for age in (399, 400)}


@pytest.mark.requirement("S2.61")
def test_the_schema_lists_its_versions_with_their_times(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    ask = "SELECT version, description, applied_at FROM schema_version ORDER BY version"
    before = superuser.execute(ask).fetchall()
    config = Config()
    config.set_main_option("script_location", migrate.__file__.replace("migrate.py", "migrations"))

    wiring.migrate_database(owner_url)

    known = {(script.revision, script.doc) for script in ScriptDirectory.from_config(config).walk_revisions()}
    assert {(version, description) for version, description, _ in before} == known
    assert all(applied <= now(superuser) for *_, applied in before)
    assert superuser.execute(ask).fetchall() == before
    with parts.database.tenant("acme") as connection:
        assert [tuple(row) for row in connection.exec_driver_sql(ask)] == before
    with pytest.raises(psycopg.errors.UniqueViolation):
        superuser.execute("INSERT INTO revisions (version, description) VALUES ('0001', 'again')")


@pytest.mark.parametrize("preset", ["default", "agentx", "aragora_hope"])
def test_the_audit_log_is_kept_longer_than_conversations(preset: str) -> None:
    policies = load_preset(preset).policies

    archived = policies.everybody.retention.archive_conversations_after
    assert policies.audit_kept is not None
    assert policies.audit_kept == timedelta(days=400)
    assert archived is None or policies.audit_kept > archived


def test_the_longest_audit_retention_of_any_tenant_applies_to_all() -> None:
    default = load_lifecycle().policies.everybody

    def asking(days: int, *, legal_hold: bool = False) -> Policies:
        retention = replace(default.retention, audit_kept=timedelta(days=days), legal_hold=legal_hold)
        return Policies(default, {"acme": replace(default, retention=retention)})

    assert asking(2555).audit_kept == timedelta(days=2555)
    assert asking(30).audit_kept == timedelta(days=400)
    assert asking(30, legal_hold=True).audit_kept is None
