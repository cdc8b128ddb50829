"""Queries of the audit log on the command line: each filter uses its index."""

import re
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from slowwave.domain.audit import AuditFilter
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.memory import MemoryScope
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.databases import copied, opened
from tests.integration.command import Run
from tests.integration.steps import learn
from tests.plans import explained, filled


@pytest.fixture(scope="module")
def crowd(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Parts]:
    """An audit log with twenty thousand rows of today and of many users."""
    with copied(postgres_server, template, "audited") as name, opened(postgres_server, name, heavy_parts) as parts:
        filled(
            postgres_server.url("slowwave_owner", name),
            "INSERT INTO audit_log (at, tenant, operation, memory_type, user_id, session_id, source_channel) "
            "SELECT slowwave_now() - n * interval '1 millisecond', 'default', 'op' || n % 500, 'kind' || n % 500, "
            "'user' || n % 500, 'session' || n % 500, 'channel' || n % 500 FROM generate_series(1, 20000) AS n",
            "audit_log",
        )
        yield parts


@pytest.mark.parametrize(
    ("wanted", "column"),
    [
        (AuditFilter(operation="op7"), "operation"),
        (AuditFilter(memory_type="kind7"), "memory_type"),
        (AuditFilter(user="user7"), "user_id"),
        (AuditFilter(session="session7"), "session_id"),
        (AuditFilter(channel="channel7"), "source_channel"),
    ],
)
def test_audit_rows_are_found_by_the_index_of_the_filter(crowd: Parts, wanted: AuditFilter, column: str) -> None:
    with crowd.database.tenant("default") as connection:
        plan = explained(connection, sql("audit/latest"), {**asdict(wanted), "most": 20})

    assert f"_{column}_at_idx" in plan, plan
    assert set(re.findall(r"Seq Scan on .*rows=(\d+)", plan)) == {"1"}, "days without rows are read whole, others not"
    assert len(crowd.records.audit("default", wanted, most=100)) == 40


@pytest.fixture
def lived(parts: Parts, scope: Scope) -> MemoryScope:
    """A scope with a home that was replaced."""
    known = learn(MemoryScope(parts, scope), "I live in Lisbon", key="e1", session="s1")
    learn(known, "I just moved to Oslo", key="e2", session="s2")
    return known


def test_the_command_lists_the_latest_rows_first(lived: MemoryScope, run: Run) -> None:
    done = run("audit")

    assert done.status == 0, done.err
    lines = [line for line in done.out.splitlines() if lived.scope.user in line]
    assert ["update" in lines[0], "store" in lines[1]] == [True, True]
    assert "pack everyday" in lines[0]


@pytest.mark.parametrize(
    ("option", "value", "operations"),
    [
        ("--operation", "update", ["update"]),
        ("--session", "s1", ["store"]),
        ("--channel", "_global", ["update", "store"]),
        ("--channel", "trip", []),
        ("--since", "2999-01-01", []),
        ("--type", "semantic", ["update", "store"]),
        ("--limit", "1", ["update"]),
    ],
)
def test_the_command_takes_filters(
    lived: MemoryScope, run: Run, option: str, value: str, operations: list[str]
) -> None:
    rows = run("audit", "--json", option, value).json

    assert [row["operation"] for row in rows] == operations
    assert all(row["settings"]["policy"]["promotion"] for row in rows)


def test_the_command_says_when_nothing_is_on_record(parts: Parts, run: Run) -> None:
    assert run("audit", "--failed").out == "the audit log has no row that matches\n"


def test_another_tenants_audit_rows_are_not_listed(lived: MemoryScope, run: Run) -> None:
    assert run("audit", "--json", "--tenant", "other").json == []
