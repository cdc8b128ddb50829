"""Partitions are made ahead of time; rows in a default partition are moved while others write."""

import itertools
import random
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PARTITIONS
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.jobs.maintenance import Partitions
from slowwave.memory import MemoryScope, due_work
from slowwave.store.beliefs.digest import digest as stored_digest
from slowwave.store.inbox import stored_episodes
from slowwave.store.retention.partitions import PostgresPartitions
from slowwave.testing import move_clock
from tests.integration.steps import process, work_off
from tests.integration.store.partitioned import (
    audit,
    counts,
    now,
    of_day,
    of_month,
    partitions,
    run,
    said,
    waiting,
    where,
)
from tests.ledger import rebuilt

TENANTS = ("acme", "globex", "initech")
ALICE = Scope("acme", "alice", "concierge")


@pytest.fixture
def worker(parts: wiring.Parts, heavy_parts: dict[str, object]) -> Iterator[wiring.Parts]:
    """Another process on the test's database, with connections of its own."""
    with process(parts.settings, heavy_parts) as worker:
        yield worker


def months(superuser: psycopg.Connection) -> int:
    """Return the number of months with a partition of episodes: one on the first of a month, else two."""
    return len(partitions(superuser, "episodes") - {"episodes_default"})


# ahead of time


def test_a_later_migration_makes_the_next_months_partitions(owner_url: str, superuser: psycopg.Connection) -> None:
    move_clock(owner_url, timedelta(days=40))
    ahead = now(superuser) + timedelta(days=29)
    assert of_day(ahead) not in partitions(superuser)

    wiring.migrate_database(owner_url)

    assert of_day(ahead) in partitions(superuser)


def test_the_job_makes_the_partitions_of_the_next_thirty_days(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    over = months(superuser)
    move_clock(owner_url, timedelta(days=400))

    assert run(parts).outcome == "ok"

    today = now(superuser)
    days = {today + timedelta(days=number) for number in range(31)}
    assert {of_day(day) for day in days} <= partitions(superuser)
    assert {of_month(day) for day in days} <= partitions(superuser, "episodes")
    made = 31 + len({of_month(day) for day in days})
    assert counts(superuser) == {"made": made, "moved": 0, "dropped": over, "in_default": 0}
    # The months of episodes that were there before held nothing and are over.

    run(parts)
    assert counts(superuser) == {"made": 0, "moved": 0, "dropped": 0, "in_default": 0}, "a second run changes nothing"


def test_partitions_cover_every_instant(superuser: psycopg.Connection) -> None:
    start = datetime(2027, 12, 31, tzinfo=UTC)
    midnights = [start + timedelta(days=number) for number in range(3660)]
    dice = random.Random(7)
    instants = [
        at
        for midnight in midnights
        for at in (midnight - timedelta(microseconds=1), midnight, midnight + timedelta(seconds=dice.random() * 86400))
    ]
    found = superuser.execute(
        "SELECT at, d.name, d.lo, d.hi, m.name, m.lo, m.hi FROM unnest(%s::timestamptz[]) AS at "
        "CROSS JOIN slowwave_partition_of('audit_log', at) AS d CROSS JOIN slowwave_partition_of('episodes', at) AS m",
        [instants],
    ).fetchall()
    bounds: dict[str, tuple[datetime, datetime]] = {}

    for at, day, day_lo, day_hi, month, month_lo, month_hi in found:
        assert day_lo <= at < day_hi
        assert month_lo <= at < month_hi
        assert (day, month) == (of_day(at), of_month(at))
        assert bounds.setdefault(day, (day_lo, day_hi)) == (day_lo, day_hi)
        assert bounds.setdefault(month, (month_lo, month_hi)) == (month_lo, month_hi)
    for table in ("audit_log", "episodes"):
        own = sorted(bound for name, bound in bounds.items() if name.startswith(table))
        assert [hi for _, hi in own[:-1]] == [lo for lo, _ in own[1:]]
    assert len(bounds) == len(midnights) + 1 + 10 * 12 + 2


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Pacific/Kiritimati"])
def test_the_sessions_time_zone_does_not_move_partition_bounds(superuser: psycopg.Connection, zone: str) -> None:
    ask = "SELECT name, lo, hi FROM slowwave_partition_of('audit_log', '2028-11-05 06:30:00+00')"
    in_utc = superuser.execute(ask).fetchall()

    superuser.execute(f"SET timezone = '{zone}'")

    assert superuser.execute(ask).fetchall() == in_utc


@pytest.mark.parametrize("days", [0, -1, 367, None])
def test_an_invalid_number_of_days_ahead_is_refused(superuser: psycopg.Connection, days: int | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="1 to 366 days ahead"):
        superuser.execute("SELECT slowwave_missing_partitions(%s)", [days])


# out of the default partition


def test_a_row_in_the_default_partition_is_moved_to_its_day(owner_url: str, superuser: psycopg.Connection) -> None:
    early = now(superuser) + timedelta(days=45)
    audit(superuser, early)
    assert of_day(early) not in partitions(superuser)

    wiring.migrate_database(owner_url)

    assert superuser.execute("SELECT tableoid::regclass::text, at FROM audit_log").fetchall() == [
        (of_day(early), early)
    ]


def test_rows_of_each_tenant_are_moved_unchanged(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    over = months(superuser)
    move_clock(owner_url, timedelta(days=100))
    for number, tenant in enumerate(TENANTS):
        parts.push(Scope(tenant, "alice", "concierge"), said(number + 1))
        audit(superuser, now(superuser), tenant)
    whole = "SELECT to_jsonb(t) FROM {} t ORDER BY to_jsonb(t)::text"
    before = {table: superuser.execute(whole.format(table)).fetchall() for table in ("episodes", "audit_log")}
    assert where(superuser) == {"episodes_default": 6}

    run(parts)

    assert where(superuser) == {of_month(now(superuser)): 6}
    assert where(superuser, "audit_log") == {of_day(now(superuser)): 3}
    assert {table: superuser.execute(whole.format(table)).fetchall() for table in before} == before
    assert counts(superuser) | {"made": 0} == {"made": 0, "moved": 9, "dropped": over, "in_default": 0}


def test_a_partition_split_from_the_default_one_equals_any_other(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    def shape(name: str) -> list[tuple[object, ...]]:
        return superuser.execute(
            "SELECT relrowsecurity, relforcerowsecurity, relacl::text, pg_get_userbyid(relowner), "
            "(SELECT array_agg(polname || polcmd::text ORDER BY polname) FROM pg_policy WHERE polrelid = c.oid), "
            "(SELECT array_agg(replace(indexrelid::regclass::text, relname, '') ORDER BY 1) FROM pg_index "
            " WHERE indrelid = c.oid), "
            "(SELECT count(*) FROM pg_index WHERE indrelid = c.oid), "
            "(SELECT array_agg((attname, attnotnull, attgenerated)::text ORDER BY attnum) FROM pg_attribute "
            " WHERE attrelid = c.oid AND attnum > 0), "
            "(SELECT array_agg(pg_get_constraintdef(oid) ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint "
            " WHERE conrelid = c.oid) "
            "FROM pg_class c WHERE relname = %s",
            [name],
        ).fetchall()

    usual, default = shape(of_month(now(superuser))), shape("episodes_default")
    for number, days in enumerate((200, 100), start=1):  # the second month is larger: it is attached whole
        move_clock(owner_url, timedelta(days=days))
        parts.push(ALICE, said(number, start=number))

    run(parts)

    month = now(superuser)
    assert where(superuser) == {of_month(month): 2, of_month(month + timedelta(days=100)): 1}
    assert shape(of_month(month)) == shape(of_month(month + timedelta(days=100))) == usual
    assert shape("episodes_default") == default


def test_a_warning_counts_the_rows_of_the_default_partition(
    parts: wiring.Parts, owner_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    move_clock(owner_url, timedelta(days=100))
    parts.push(ALICE, said(3))

    run(parts)

    assert [(record.levelname, record.getMessage()) for record in caplog.records if "partition" in record.msg] == [
        ("WARNING", "moved 3 rows of episodes that were written before their partition existed")
    ]


def test_writers_and_readers_lose_nothing_while_the_default_partition_is_split(
    parts: wiring.Parts, worker: wiring.Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    scopes = [Scope(tenant, user, "concierge") for tenant in TENANTS for user in ("alice", "bob")]
    stop, acknowledged = threading.Event(), dict.fromkeys(scopes, 0)
    troubles: list[object] = []

    def write(scope: Scope) -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            try:
                states = {receipt.state for receipt in parts.push(scope, said(2, start=2 * number))}
            except Exception as error:  # noqa: BLE001 - whatever it is, the test shows it
                troubles.append(error)
                return
            if states != {"stored"}:
                troubles.append(states)
            acknowledged[scope] += 2

    def read(scope: Scope) -> None:
        while not stop.is_set():
            least = acknowledged[scope]
            with parts.database.tenant(scope.tenant) as connection:
                found = len(stored_episodes.window(connection, scope.id, least - 19, least))
            if found != min(20, least):
                troubles.append(f"{found} of the last {least} episodes were read")

    threads = [threading.Thread(target=act, args=(scope,)) for scope in scopes[:4] for act in (write, read)]
    for thread in threads:
        thread.start()
    moved = 0
    worker.jobs[PARTITIONS] = Partitions(PostgresPartitions(worker.database), None, days_ahead=1)
    try:
        for months in range(1, 9):
            move_clock(owner_url, timedelta(days=60 * months))
            before = sum(acknowledged.values())
            while sum(acknowledged.values()) < before + 20 and not troubles:
                threading.Event().wait(0.01)
            assert run(worker).outcome == "ok"
            moved += counts(superuser)["moved"]
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)

    assert troubles == []
    assert moved > 100
    assert where(superuser).get("episodes_default", 0) == 0
    assert sum(where(superuser).values()) == sum(acknowledged.values())
    gapless = superuser.execute("SELECT max(position) = count(*) FROM episodes GROUP BY scope").fetchall()
    assert gapless == [(True,)] * 4


@pytest.mark.parametrize("others", [0, 1])
def test_reads_and_writes_during_a_move_succeed(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection, others: int
) -> None:
    move_clock(owner_url, timedelta(days=200))
    parts.push(Scope("acme", "bob", "concierge"), said(others))
    move_clock(owner_url, timedelta(days=100))
    parts.push(ALICE, said(5))
    seen: dict[str, int] = {}

    def read() -> None:
        with parts.database.tenant(ALICE.tenant) as connection:
            seen["read"] = len(stored_episodes.window(connection, ALICE.id, 1, 5))

    def write() -> None:
        seen["written"] = len(parts.push(ALICE, said(2, start=5)))

    threads = [threading.Thread(target=act) for act in (read, write)]
    with psycopg.connect(owner_url) as mover:
        mover.execute("SELECT slowwave_make_partition('episodes', slowwave_now())")
        for thread in threads:
            thread.start()
        while len(waiting(superuser, "episodes")) < 2:
            assert all(thread.is_alive() for thread in threads)
    for thread in threads:
        thread.join(30)

    assert seen == {"read": 5, "written": 2}
    assert where(superuser) == {of_month(now(superuser)): 7} | ({"episodes_default": others} if others else {})


def test_a_new_month_partition_does_not_change_beliefs_and_recall(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection, scope: Scope
) -> None:
    parts.push(scope, [Episode(content="I moved to Lisbon", key="before")])
    move_clock(owner_url, timedelta(days=62))
    work_off(parts, scope, [Episode(content="I just moved to Oslo", key="after")])
    assert where(superuser)["episodes_default"] == 1

    def known() -> tuple[object, ...]:
        with parts.database.tenant(scope.tenant) as connection:
            digest = stored_digest(connection, scope.id)
        found = MemoryScope(parts, scope).recall("where do I live?", limit=5, as_of=now(superuser))
        folded, held = rebuilt(parts, scope)
        assert folded == held != set()
        return digest, {(each.kind, each.text) for each in found}

    before = known()

    run(parts)

    assert where(superuser) == {of_month(now(superuser) - timedelta(days=62)): 1, of_month(now(superuser)): 1}
    assert known() == before


def test_an_episode_pushed_again_after_a_move_is_repeated(parts: wiring.Parts, owner_url: str, scope: Scope) -> None:
    move_clock(owner_url, timedelta(days=62))
    parts.push(scope, said(2))
    run(parts)

    assert [receipt.repeated for receipt in parts.push(scope, said(3))] == [True, True, False]


# one at a time, whatever is killed


@pytest.mark.accept
def test_a_connection_lost_during_a_move_moves_no_row(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection, postgres_server: PostgresServer,
    database_name: str,
) -> None:  # fmt: skip
    move_clock(owner_url, timedelta(days=100))
    parts.push(ALICE, said(5))
    reports: list[Report] = []
    with psycopg.connect(postgres_server.url("postgres", database_name)) as reader:
        # Rows may go from the default partition, but no partition can be attached beside it.
        reader.execute("LOCK TABLE episodes_default IN ACCESS SHARE MODE")
        thread = threading.Thread(target=lambda: reports.append(run(parts)))
        thread.start()
        ended: set[int] = set()
        while len(ended) < 2 and thread.is_alive():
            for pid in waiting(superuser, "slowwave_make_partition"):
                superuser.execute("SELECT pg_terminate_backend(%s)", [pid])
                ended.add(pid)
        thread.join(60)
        assert where(superuser) == {"episodes_default": 5}
    assert (len(ended), [report.outcome for report in reports]) == (2, ["unavailable"])

    move_clock(owner_url, timedelta(days=100, minutes=1))
    report = due_work.run_next(parts, owner="bob", only=[PARTITIONS])

    assert report is not None
    assert report.outcome == "ok"
    assert where(superuser) == {of_month(now(superuser)): 5}


def test_the_next_worker_finishes_the_moves_of_a_killed_one(
    parts: wiring.Parts, owner_url: str, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_clock(owner_url, timedelta(days=100))
    parts.push(ALICE, said(5))
    job = parts.jobs[PARTITIONS]
    store = job.partitions  # type: ignore[attr-defined]  # the job's own store
    make = store.make
    made: list[object] = []

    def die_after_ten(*arguments: object) -> int:
        if len(made) == 10:
            raise KeyboardInterrupt
        made.append(arguments)
        return int(make(*arguments))

    monkeypatch.setattr(type(store), "make", lambda _self, *arguments: die_after_ten(*arguments))
    with pytest.raises(KeyboardInterrupt):
        run(parts)
    monkeypatch.undo()
    move_clock(owner_url, timedelta(days=100, minutes=5))

    report = due_work.run_next(parts, owner="bob", only=[PARTITIONS])

    assert report is not None
    assert report.outcome == "ok"
    assert counts(superuser)["made"] > 0
    assert where(superuser) == {of_month(now(superuser)): 5}
    assert {of_day(now(superuser) + timedelta(days=number)) for number in range(31)} <= partitions(superuser)
