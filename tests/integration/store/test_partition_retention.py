"""Expired partitions are dropped: a day of the audit log by age, a month of episodes when all are forgotten."""

from datetime import timedelta

import psycopg
import pytest
from psycopg.errors import InvalidParameterValue

from slowwave.core.patterns import week
from slowwave.domain.episode import Episode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import PARTITIONS
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.maintenance import Partitions
from slowwave.memory import Memory, MemoryScope
from slowwave.store.beliefs.facts import why as stored_why
from slowwave.store.retention.partitions import PostgresPartitions
from slowwave.testing import move_clock
from slowwave.wiring import Parts
from tests.integration.steps import work_off
from tests.integration.store.partitioned import audit, now, of_day, of_month, partitions, run, said, where
from tests.integration.store.rows import insert
from tests.integration.store.rows import row as a_row

KEPT = timedelta(days=90)
TENANTS = ("acme", "globex")
ALICE = Scope("acme", "alice", "concierge")


@pytest.fixture
def store(parts: Parts) -> PostgresPartitions:
    """The partitions, and a job that keeps the audit log for 90 days."""
    store = PostgresPartitions(parts.database)
    parts.jobs[PARTITIONS] = Partitions(store, KEPT)
    return store


def tombstone(superuser: psycopg.Connection, scope: Scope, session: str) -> None:
    """Erase a conversation."""
    superuser.execute(
        "INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, tombstoned) "
        "VALUES (%s, %s, %s, slowwave_now(), slowwave_now(), 1, slowwave_now()) "
        "ON CONFLICT (scope, session) DO UPDATE SET tombstoned = excluded.tombstoned",
        [scope.id, session, scope.tenant],
    )


def add(superuser: psycopg.Connection, table: str, **values: object) -> None:
    """Insert a valid row of the tenant `acme`."""
    insert(superuser, table, a_row(superuser, table, "acme", **values))


def later(owner_url: str, **passed: float) -> None:
    move_clock(owner_url, timedelta(**passed))


def homes(parts: Parts, scope: Scope) -> list[Fact]:
    """Return the current home of a user."""
    return [fact for fact in parts.records.facts(scope) if fact.predicate == "lives_in"]


# the audit log


def test_a_day_of_the_audit_log_is_dropped_when_all_of_it_is_older_than_the_retention(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    midnight = now(superuser).replace(hour=0, minute=0, second=0, microsecond=0)
    for tenant in TENANTS:
        for hours in (1, 25, 49):
            audit(superuser, midnight + timedelta(hours=hours), tenant)
    until_second_day_is_over = midnight + timedelta(days=2) + KEPT - now(superuser)

    later(owner_url, seconds=until_second_day_is_over.total_seconds() - 60)
    run(parts)
    assert where(superuser, "audit_log") == {of_day(midnight + timedelta(days=number)): 2 for number in (1, 2)}

    later(owner_url, seconds=until_second_day_is_over.total_seconds() + 60)
    run(parts)
    assert where(superuser, "audit_log") == {of_day(midnight + timedelta(days=2)): 2}


def test_a_legal_hold_keeps_the_audit_log_of_all_tenants(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    parts.push(ALICE, said(1))
    superuser.execute("INSERT INTO legal_holds (tenant, reason) VALUES ('acme', 'a trial')")
    today = now(superuser)
    later(owner_url, days=200)

    run(parts)
    assert of_day(today) in partitions(superuser)

    superuser.execute("UPDATE legal_holds SET released = slowwave_now()")
    run(parts)
    assert of_day(today) not in partitions(superuser)


def test_the_audit_log_without_a_retention_period_is_kept_forever(
    parts: Parts, owner_url: str, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(PostgresPartitions(parts.database), None)
    today = now(superuser)
    later(owner_url, days=2000)

    run(parts)

    assert of_day(today) in partitions(superuser)


# bookkeeping


def kept(superuser: psycopg.Connection) -> dict[str, list[str]]:
    """The rows of each bookkeeping table, by its name."""
    asked = {
        "firings": "SELECT at_window FROM firings WHERE fired_by = 'test' AND schedule = 'night'",
        "processes": "SELECT process FROM processes WHERE process LIKE 'a%@%'",
        "tallies": "SELECT name FROM tallies",
        "tier_moves": "SELECT reason FROM tier_moves",
    }
    return {table: sorted(row[0] for row in superuser.execute(query.encode())) for table, query in asked.items()}


def booked(superuser: psycopg.Connection, days: int) -> None:
    """Insert a row of every bookkeeping table that is so many days old."""
    ago = now(superuser) - timedelta(days=days)
    superuser.execute("INSERT INTO firings VALUES ('night', %s, %s, 'acme', %s, 'test')", [ALICE.id, f"{days}", ago])
    superuser.execute("INSERT INTO processes VALUES (%s, '_system', 'worker', %s, %s)", [f"a@{days}", ago, ago])
    superuser.execute("INSERT INTO tallies VALUES ('acme', %s, %s, 0, 1)", [f"{days}", ago])
    superuser.execute(
        "INSERT INTO tier_moves (tenant, scope, memory, from_tier, to_tier, reason, at) "
        "VALUES ('acme', %s, %s, 'warm', 'cold', %s, %s)",
        [ALICE.id, ALICE.id, f"{days}", ago],
    )


def test_old_bookkeeping_is_dropped_except_the_last_row_of_each(
    parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    for days in (91, 89, 60, 31, 29):
        booked(superuser, days)

    run(parts)

    assert kept(superuser) == {
        "firings": ["29", "31"],
        "processes": ["a@29", "a@31"],
        "tallies": ["29", "31", "60", "89"],
        "tier_moves": ["29", "31", "60", "89"],
    }
    ((pruned,),) = superuser.execute("SELECT counts -> 'pruned' FROM runs ORDER BY run DESC LIMIT 1").fetchall()
    assert pruned == 8


def test_dropping_old_bookkeeping_does_not_change_answers(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    work_off(parts, ALICE, [Episode(content="I moved to Lisbon", key="k", session="s1")])
    parts.jobs[PARTITIONS] = Partitions(store, timedelta(days=400), timedelta(days=30))
    later(owner_url, days=60)
    (fact,) = homes(parts, ALICE)

    def told() -> list[object]:
        with parts.database.tenant(ALICE.tenant) as connection:
            why = stored_why(connection, fact.id)
            digest = connection.exec_driver_sql("SELECT count(*), max(recorded) FROM deltas").all()
        schedules = [(one.name, one.last_fired) for one in parts.schedule.schedules() if one.name != "_partitions"]
        return [why, digest, schedules, parts.schedule.orphans(by="test")]

    before = told()
    run(parts)
    assert told() == before


def test_the_weeks_of_routines_are_dropped_when_they_no_longer_count(
    parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, timedelta(days=90), timedelta(days=30))
    buckets = [
        f"{ago}" if ago < 10 else week(now(superuser) - timedelta(days=ago)) for ago in (0, 9, 10, 360, 410, 800)
    ]
    for bucket in buckets:
        superuser.execute(
            "INSERT INTO sightings (scope, pattern, bucket, tenant, sources) VALUES (%s, %s, %s, 'acme', '[]')",
            [ALICE.id, ALICE.id, bucket],
        )

    run(parts)

    assert {one for (one,) in superuser.execute("SELECT bucket FROM sightings")} == set(buckets[:4])


def ran(superuser: psycopg.Connection, job: str, days: int, *, outcome: str = "ok", delta: bool = False) -> int:
    """Insert a run of *job* that ended so many days ago, with or without a delta; return its number."""
    row = superuser.execute(
        "INSERT INTO runs "
        "(scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished, outcome) "
        "VALUES (%s, 'acme', %s, %s, 1, 1, 0, 0, 1, 'test', %s, %s, %s) RETURNING run",
        [ALICE.id, job, f"_{job}", *[now(superuser) - timedelta(days=days)] * 2, outcome],
    ).fetchone()
    assert row is not None
    if delta:
        add(superuser, "deltas", scope=ALICE.id, run=row[0])
    return int(row[0])


def test_old_runs_without_episodes_and_deltas_are_dropped_except_the_last_of_each_job(
    parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    parts.push(ALICE, said(1))
    superuser.execute("SET session_replication_role = replica")  # the delta cites nothing
    kept_runs = {
        ran(superuser, "consolidate", 60),
        ran(superuser, "decay", 59, delta=True),
        ran(superuser, "promote", 58),
    }
    dropped = {ran(superuser, "decay", 50), ran(superuser, "decay", 40, outcome="faulted")}
    dropped |= {ran(superuser, "consolidate", days, outcome="unavailable") for days in (50, 49, 48)}
    kept_runs |= {
        ran(superuser, "consolidate", 47, outcome="unavailable"),
        ran(superuser, "decay", 35),
        ran(superuser, "decay", 34, outcome="faulted"),
        ran(superuser, "decay", 5),
    }

    run(parts)

    left = {number for (number,) in superuser.execute("SELECT run FROM runs WHERE owner = 'test'")}
    assert (left, dropped & left) == (kept_runs, set())


def asked(superuser: psycopg.Connection, name: str, days: int, *, state: str = "answered") -> None:
    """Insert a model request that is so many days old, with its texts, call, reply, claim and chunk."""
    at = now(superuser) - timedelta(days=days)
    rows: dict[str, dict[str, object]] = {
        "model_requests": {"request": name, "scope": ALICE.id, "state": state, "created": at},
        "model_payloads": {"request": name},
        "model_calls": {"request": name, "finished": at, "started": at, "outcome": "ok"},
        "model_replies": {"request": name},
        "model_rejected": {"request": name, "scope": ALICE.id, "at": at},
    }
    for table, values in rows.items():
        add(superuser, table, **values)


ASKED = ("model_requests", "model_payloads", "model_calls", "model_replies", "model_rejected")


def test_old_model_calls_are_dropped_and_their_requests_too_unless_a_reply_is_still_awaited(
    parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    parts.push(ALICE, said(1))
    for name in ("old", "of a summary", "of a window", "asked again lately"):
        asked(superuser, name, 91)
    asked(superuser, "young", 89)
    asked(superuser, "pending", 91, state="pending")
    add(superuser, "model_summaries", scope=ALICE.id, request="of a summary")
    superuser.execute(
        "WITH waiting AS (INSERT INTO model_windows (scope, tenant, pack, edition, lo, hi) "
        "VALUES (%s, 'acme', 'p', 'e', 1, 1) RETURNING model_window) "
        "INSERT INTO model_chunks SELECT model_window, 0, 'of a window', 'acme' FROM waiting",
        [ALICE.id],
    )
    superuser.execute("UPDATE model_replies r SET call = c.call FROM model_calls c WHERE c.request = r.request")
    add(superuser, "model_calls", request="asked again lately", finished=now(superuser))
    for name in ("witness", "at once"):
        add(superuser, "model_calls", request=name, finished=now(superuser) - timedelta(days=91))

    run(parts)

    for table in ASKED:
        left = {name for (name,) in superuser.execute(f"SELECT request FROM {table}".encode())}
        kept = {"young", "pending", "of a summary", "of a window", "asked again lately"}
        assert left == kept - ({"pending"} if table in ("model_calls", "model_replies") else set()), table


def test_old_dead_letters_are_dropped_once_they_are_closed_unless_a_replay_or_an_undo_reads_them(
    parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    parts.push(ALICE, said(1))
    letters = [
        ("old and retried", "retried", "fault", "everyday", 91), ("old and dropped", "dropped", "malformed", None, 91),
        ("open", "open", "malformed", None, 91), ("young", "dropped", "malformed", None, 89),
        ("read by a replay", "dropped", "fault", "everyday", 91), ("a review", "dropped", "conflict", "everyday", 91),
    ]  # fmt: skip
    for reason, state, category, pack, days in letters:
        superuser.execute(
            "INSERT INTO dead_letters (tenant, scope, pack, category, reason, state, born) "
            "VALUES ('acme', %s, %s, %s, %s, %s, slowwave_now() - make_interval(days => %s))",
            [ALICE.id, pack, category, reason, state, days],
        )

    run(parts)

    left = {reason for (reason,) in superuser.execute("SELECT reason FROM dead_letters")}
    assert left == {"open", "young", "read by a replay", "a review"}


def test_full_buckets_of_users_are_dropped_but_no_limit(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    parts.quotas.set("default", "recalls-a-minute", 60, applies="each user")
    parts.quotas.set("default", "recalls-a-minute", 9, applies="user", user="bob")
    for user in ("ann", "bob"):
        parts.quotas.spend_on_recall("default", user)
    assert len(superuser.execute("SELECT FROM quotas").fetchall()) == 3

    later(owner_url, days=8)
    parts.quotas.spend_on_recall("default", "carl")
    run(parts)

    left = superuser.execute("SELECT applies, user_id, most FROM quotas ORDER BY 1, 2").fetchall()
    assert left == [("each user", "", 60), ("user", "bob", 9), ("user", "carl", None)]


@pytest.mark.parametrize(
    ("job", "days"),
    [
        *(("audit_partition(%s)", [days]) for days in (6, 0, -1, None)),
        *((f"{what}(%s, 10)", [days]) for what in ("runs", "model_calls", "dead_letters") for days in (6, None)),
        *(("bookkeeping(%s, %s, 10)", list(days)) for days in ((6, 400), (30, 6), (None, 400), (30, None))),
    ],
)
def test_each_kind_of_record_is_kept_for_at_least_a_week(
    superuser: psycopg.Connection, job: str, days: list[int | None]
) -> None:
    with pytest.raises(InvalidParameterValue, match="kept for 7 days at the least"):
        superuser.execute(f"SELECT slowwave_drop_old_{job}".encode(), days)


def test_a_hold_keeps_bookkeeping_too(parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection) -> None:
    parts.jobs[PARTITIONS] = Partitions(store, KEPT, timedelta(days=30))
    parts.push(ALICE, said(1))
    superuser.execute("INSERT INTO legal_holds (tenant, reason) VALUES ('acme', 'a trial')")
    for days in (60, 50):
        booked(superuser, days)

    run(parts)

    assert kept(superuser)["firings"] == ["50", "60"]


# months of episodes


def test_a_month_is_dropped_once_all_its_conversations_are_forgotten(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    alice, bob = (Scope(tenant, user, "concierge") for tenant, user in zip(TENANTS, ("alice", "bob"), strict=True))
    for scope in (alice, bob):
        for session in ("s1", "s2"):
            parts.push(scope, [Episode(content="hello", key=session, session=session)])
    month = of_month(now(superuser))
    forgotten: list[tuple[Scope, str]] = [(alice, "s1"), (alice, "s2"), (bob, "s1"), (bob, "s2")]
    later(owner_url, days=62)

    for scope, session in forgotten:
        run(parts)
        assert where(superuser)[month] == 4
        tombstone(superuser, scope, session)
    run(parts)

    assert month not in partitions(superuser, "episodes")
    assert superuser.execute("SELECT count(*) FROM episode_keys").fetchall() == [(4,)]


def test_why_names_the_dropped_month_of_an_episode_and_an_erased_episode(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    work_off(parts, ALICE, [Episode(content="I moved to Lisbon", key="k", session="s1")])
    (fact,) = homes(parts, ALICE)
    month = now(superuser)
    assert [step.missing for step in Memory(parts).why(fact.id, tenant="acme").steps] == [()]
    later(owner_url, days=62)
    tombstone(superuser, ALICE, "s1")

    run(parts)

    (step,) = Memory(parts).why(fact.id, tenant="acme").steps
    (missing,) = step.missing
    assert step.evidence == ()
    assert str(missing).startswith(f"The month {month:%Y-%m} of episode 1 was dropped")
    superuser.execute("UPDATE episode_keys SET erased = true")
    assert str(Memory(parts).why(fact.id, tenant="acme").steps[0].missing[0]) == "Episode 1 was erased."


def test_the_current_month_is_kept(parts: Parts, store: PostgresPartitions, superuser: psycopg.Connection) -> None:
    parts.push(ALICE, [Episode(content="hello", key="k", session="s1")])
    tombstone(superuser, ALICE, "s1")

    run(parts)

    assert where(superuser) == {of_month(now(superuser)): 1}
    with pytest.raises(InvalidParameterValue, match="not over"):
        superuser.execute("SELECT slowwave_drop_forgotten_month(slowwave_now())")


def test_turns_after_an_expired_conversation_are_kept(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    tombstone(superuser, ALICE, "s1")
    parts.push(ALICE, [Episode(content="hello again", key="k", session="s1")])
    month = of_month(now(superuser))
    later(owner_url, days=62)

    run(parts)

    assert where(superuser) == {month: 1}


def test_dropping_a_month_checks_it_again_under_its_lock(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    parts.push(ALICE, said(1))
    month = now(superuser)
    later(owner_url, days=62)

    dropped = superuser.execute("SELECT slowwave_drop_forgotten_month(%s)", [month]).fetchall()

    assert dropped == [(False,)]
    assert where(superuser) == {of_month(month): 1}
    forced = superuser.execute(
        "SELECT bool_and(relforcerowsecurity) FROM pg_class WHERE relname = ANY(%s)",
        [["conversations", of_month(month)]],
    )
    assert forced.fetchall() == [(True,)]


def test_an_episode_of_a_dropped_month_pushed_again_is_not_stored_twice(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    said_before = Episode(content="I moved to Lisbon", key="k1", session="s1")
    (receipt,) = parts.push(ALICE, [said_before])
    work_off(parts, ALICE, [])
    (fact,) = homes(parts, ALICE)
    month = of_month(now(superuser))
    later(owner_url, days=62)
    tombstone(superuser, ALICE, "s1")
    run(parts)
    assert month not in partitions(superuser, "episodes")

    (again,) = parts.push(ALICE, [said_before])

    assert (again.id, again.repeated, again.position) == (receipt.id, True, receipt.position)
    assert where(superuser) == {}
    work_off(parts, ALICE, [Episode(content="I just moved to Oslo", key="k2", session="s2")])
    assert [each.object for each in homes(parts, ALICE)] == ["Oslo"]
    assert {each.text for each in MemoryScope(parts, ALICE).recall("where do I live?", limit=5)} >= {
        "The user lives in Oslo"
    }
    with parts.database.tenant(ALICE.tenant) as connection:
        why = stored_why(connection, fact.id)
    assert why is not None
    assert [step.kind for step in why.steps][:1] == ["add"]


# after the lease was taken


def test_a_fenced_run_makes_and_drops_no_partitions(
    parts: Parts, store: PostgresPartitions, owner_url: str, superuser: psycopg.Connection
) -> None:
    parts.schedule.fire_job(PARTITIONS, "_partitions", by="test")
    ann = parts.runs.claim(owner="ann", scope=None, jobs=[PARTITIONS], overdue_seconds=0)
    later(owner_url, days=400)
    bob = parts.runs.claim(owner="bob", scope=None, jobs=[PARTITIONS], overdue_seconds=0)
    assert ann is not None
    assert bob is not None
    before = partitions(superuser)

    with pytest.raises(Fenced):
        store.make(ann, store.missing(days_ahead=30)[0])
    with pytest.raises(Fenced):
        store.drop_old_audit(ann, retention_days=90)

    assert partitions(superuser) == before
