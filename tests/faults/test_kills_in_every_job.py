"""kill -9 at every end of a transaction, in every job: a repeated job gives the result of an undisturbed night."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.job_table import (
    ARCHIVE,
    CHECK,
    CONSOLIDATE,
    DECAY,
    DETECT_PATTERNS,
    PARTITIONS,
    PREPARE,
    PROMOTE,
    RECONCILE,
    REPORT,
    SEAL,
    SUMMARISE,
    SWEEP,
    pack_of,
)
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory, due_work
from slowwave.testing import stop_clock
from tests.databases import copied, opened
from tests.faults.rig.killed import killed
from tests.quarter import START, Quarter

pytestmark = pytest.mark.accept

NIGHT = (
    PREPARE, CONSOLIDATE, SUMMARISE, DETECT_PATTERNS, PROMOTE, DECAY, SWEEP, ARCHIVE, PARTITIONS, SEAL, CHECK,
    RECONCILE, REPORT,
)  # fmt: skip
MOST_KILLS = 6
"""The maximum number of kills of one job: later transactions are further batches of the same kind."""
LATER = START + timedelta(days=110)

STATE = {
    "standing": "SELECT scope, memory, kind, tier, access_count, frequency, successes, round(surprise::numeric, 6), "
    "pinned FROM standing",
    "moves": "SELECT scope, memory, from_tier, to_tier, reason FROM tier_moves",
    "ledger": "SELECT id, kind, rule, fact, replaces FROM deltas",
    "promotions": "SELECT target, source_fact, confirmed, undone IS NULL FROM promotions",
    "conversations": "SELECT scope, session, episodes, archived IS NULL, tombstoned IS NULL FROM conversations",
    "entities": "SELECT scope, name, faded IS NULL, tombstoned IS NULL, frequency, same_as FROM entities",
    "edges": "SELECT scope, fact, source, relation, target, kind, valid::text, weight FROM edges",
    "strategies": "SELECT scope, task, tools, successes, failures, fact FROM strategies",
    "tools": "SELECT scope, tool, task, calls, successes FROM tool_stats",
    "vectors": "SELECT scope, fact, space FROM fact_vectors",
    "segments": "SELECT scope, session, number, first, last FROM segments",
    "letters": "SELECT category, reason FROM dead_letters",
    "seals": "SELECT scope, max(deltas) FROM ledger_seals GROUP BY scope",
    "watermarks": "SELECT scope, pack, position FROM watermarks",
}


@pytest.fixture(scope="module")
def world(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[str]:
    """A database with a week of episodes, a hundred days later: every job has work."""
    with copied(postgres_server, template, "world") as name:
        with opened(postgres_server, name, heavy_parts) as parts:
            lived = Quarter(
                Memory(parts), parts, postgres_server.url("slowwave_owner", name), postgres_server.url("postgres", name)
            )
            lived.at(START)
            due_work.tick(parts, by="scheduler")
            for day in range(7):
                lived.today(day)
                due_work.fire(parts)
                lived.drain()
            lived.at(LATER)
            for number, user in enumerate(("nora", "tomasz")):
                lived.tell(user, number, 110, LATER)
        yield name


def fire(parts: wiring.Parts, job: str) -> None:
    """Make the work of *job* due now."""
    if job in (PREPARE, CONSOLIDATE):
        due_work.fire(parts)
    elif job in (SUMMARISE, DETECT_PATTERNS):
        parts.schedule.fire_manually(by="test", pack=pack_of(job))
    else:
        parts.schedule.fire_job(job, pack_of(job), by="test")


def work_off(parts: wiring.Parts, job: str) -> int:
    runs = 0
    while report := due_work.run_next(parts, owner="healthy", only=[job]):
        assert report.outcome == "ok", report
        runs += 1
    return runs


def settle(parts: wiring.Parts, owner_url: str) -> None:
    """Sweep the next day until no memory moves: a run moves a memory by one tier, and a killed run may repeat."""
    for hours in range(24, 30):
        stop_clock(owner_url, LATER + timedelta(hours=hours))
        parts.schedule.fire_job(SWEEP, pack_of(SWEEP), by="test")
        work_off(parts, SWEEP)


def state(server: PostgresServer, database: str) -> dict[str, list[Any]]:
    """Return all rows of memories, without times and run numbers."""
    with psycopg.connect(server.url("postgres", database)) as connection:
        return {name: sorted(map(repr, connection.execute(query.encode()).fetchall())) for name, query in STATE.items()}


@pytest.mark.timeout(600)
def test_a_kill_at_any_point_of_any_job_changes_no_result(
    postgres_server: PostgresServer, world: str, heavy_parts: dict[str, object]
) -> None:
    with copied(postgres_server, world, "calm") as calm, opened(postgres_server, calm, heavy_parts) as parts:
        runs = {}
        for job in NIGHT:
            fire(parts, job)
            runs[job] = work_off(parts, job)
        settle(parts, postgres_server.url("slowwave_owner", calm))
        expected, digest = state(postgres_server, calm), Memory(parts).digest()
    assert all(runs.values()), runs

    with copied(postgres_server, world, "stormy") as stormy, opened(postgres_server, stormy, heavy_parts) as parts:
        lived = Quarter(Memory(parts), parts, postgres_server.url("slowwave_owner", stormy), "")
        kills = dict.fromkeys(NIGHT, 0)
        for number, job in enumerate(NIGHT):
            fire(parts, job)
            for commits in range(1, MOST_KILLS + 1):
                if not killed(parts.url, job, commits):
                    break
                kills[job] += 1
                lived.at(LATER + timedelta(minutes=2 * (MOST_KILLS * number + commits)))
            work_off(parts, job)
        settle(parts, lived.owner_url)
        disturbed, afterwards = state(postgres_server, stormy), Memory(parts).digest()

    assert min(kills.values()) >= 2, kills
    for name in STATE:
        assert disturbed[name] == expected[name], name
    assert afterwards == digest
