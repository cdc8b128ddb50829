"""Each night seals the new deltas of ledgers; a check detects changes behind a seal."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import SEAL, pack_of
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.store import advisory_locks
from slowwave.store.seals import seal
from slowwave.store.statements import execute
from slowwave.testing import move_clock
from tests.faults.rig.processes import until
from tests.unit.tables import table

ROWS = table(__file__)

ALICE, BOB = Scope("acme", "alice", "concierge"), Scope("globex", "bob", "concierge")


def learn(parts: wiring.Parts, scope: Scope, *told: str) -> None:
    parts.push(scope, [Episode(content=words, key=words) for words in told])
    due_work.fire(parts, scope.id)
    due_work.drain(parts, None, 60)


def night(parts: wiring.Parts) -> None:
    parts.schedule.fire_job(SEAL, pack_of(SEAL), by="test")
    report = due_work.run_next(parts, owner="ann", only=[SEAL])
    assert report is not None
    assert report.outcome == "ok"


def found(parts: wiring.Parts) -> list[tuple[str, object, str]]:
    return [(one.invariant, one.scope, one.subject) for one in wiring.checks(parts.database).findings(folds=None)]


@pytest.fixture
def sealed(parts: wiring.Parts) -> wiring.Parts:
    """Two ledgers of two tenants, the first sealed on two nights, with news since."""
    for told in ("I live in Oslo", "I moved to Bergen. I have a cat called Tiny"):
        learn(parts, ALICE, told)
        learn(parts, BOB, told)
        night(parts)
    learn(parts, ALICE, "I like tea")
    return parts


def test_each_night_seals_only_new_deltas(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    def seals() -> list[tuple[int, int]]:
        return superuser.execute(
            "SELECT count(*), max(s.deltas) - (SELECT count(*) FROM deltas AS d WHERE d.scope = s.scope) "
            "FROM ledger_seals AS s GROUP BY scope ORDER BY scope = %s",
            [BOB.id],
        ).fetchall()

    def nights() -> list[tuple[int]]:
        return superuser.execute("SELECT count(*) FROM tenant_seals GROUP BY tenant ORDER BY tenant").fetchall()

    assert seals() == [(2, -1), (2, 0)]
    night(sealed)
    assert seals() == [(3, 0), (2, 0)]
    assert nights() == [(3,), (2,)]
    night(sealed)
    assert seals() == [(3, 0), (2, 0)]
    assert nights() == [(3,), (2,)]
    assert found(sealed) == []


def test_the_check_detects_the_last_seal_of_a_tenant_deleted_after_quiet_nights(
    sealed: wiring.Parts, superuser: psycopg.Connection
) -> None:
    for _ in range(2):
        night(sealed)
    superuser.execute(
        "DELETE FROM tenant_seals WHERE tenant = 'acme' "
        "AND made = (SELECT max(made) FROM tenant_seals WHERE tenant = 'acme')"
    )

    assert found(sealed) == [("seal-missing", None, "tenant acme")]


def test_a_night_beside_a_run_that_is_not_committed_adds_a_seal(
    sealed: wiring.Parts, superuser: psycopg.Connection
) -> None:
    """The deltas of such a run are recorded before the night began, but get their seal in the next night."""
    night(sealed)
    with sealed.database.long("acme") as connection:
        execute(
            connection,
            "beliefs/set_recorded",
            scope=ALICE.id,
            lock=advisory_locks.RECORDING,
            first=None,
            more=timedelta(0),
        )
        night(sealed)

    assert superuser.execute("SELECT count(*) FROM tenant_seals WHERE tenant = 'acme'").fetchone() == (4,)
    assert superuser.execute("SELECT count(*) FROM tenant_seals WHERE tenant = 'globex'").fetchone() == (2,)


def test_deltas_recorded_before_a_clock_was_set_back_are_not_missed_later(parts: wiring.Parts, owner_url: str) -> None:
    learn(parts, ALICE, "I live in Oslo")
    night(parts)
    move_clock(owner_url, timedelta(hours=1))
    learn(parts, ALICE, "I moved to Bergen")
    move_clock(owner_url, timedelta(0))
    night(parts)
    move_clock(owner_url, timedelta(hours=24))
    night(parts)

    assert found(parts) == []


def test_two_concurrent_sealings_make_one_seal(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    def again() -> int:
        with sealed.database.long("acme") as connection:
            return seal(connection, ALICE.id)

    with ThreadPoolExecutor() as pool:
        with sealed.database.long("acme") as connection:
            assert seal(connection, ALICE.id) == 1
            second = pool.submit(again)
            waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            until(lambda: superuser.execute(waits).fetchone() is not None, "the second waits for the first")
        assert second.result() == 0

    assert found(sealed) == []


@pytest.mark.parametrize("change", ROWS["changes"])
def test_a_change_to_sealed_rows_is_detected(sealed: wiring.Parts, superuser: psycopg.Connection, change: str) -> None:
    of_bob = {"delta_sources": "delta IN (SELECT id FROM deltas WHERE scope = %s)"}.get(change.split()[1], "scope = %s")
    superuser.execute(f"{change} WHERE {of_bob}", [BOB.id])

    broken = [one for one in found(sealed) if one[0] == "seal-broken" and one[1] is not None]

    assert [scope for _, scope, _ in broken] == [BOB.id]
    assert "differ from what was sealed" in broken[0][2]


@pytest.mark.parametrize(("change", "said"), ROWS["words"])
def test_the_check_reports_words_changed_behind_a_seal(
    sealed: wiring.Parts, superuser: psycopg.Connection, change: str, said: str
) -> None:
    fact = next(one for one in sealed.records.facts(BOB) if one.object == "Bergen")
    superuser.execute(change.encode(), [fact.id])

    broken = [one for one in found(sealed) if one[0] == "seal-broken"]

    assert [scope for _, scope, _ in broken] == [BOB.id]
    assert said in broken[0][2]
    assert str(fact.id) in broken[0][2]


def test_a_truncated_ledger_is_detected(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    superuser.execute(
        "DELETE FROM deltas WHERE scope = %s AND recorded = (SELECT max(recorded) FROM deltas WHERE scope = %s)",
        [BOB.id, BOB.id],
    )

    assert next(what for name, _, what in found(sealed) if name == "seal-broken").endswith("are gone")


@pytest.mark.parametrize("scope", [ALICE, BOB])
def test_deleted_seals_are_detected(sealed: wiring.Parts, superuser: psycopg.Connection, scope: Scope) -> None:
    superuser.execute("DELETE FROM ledger_seals WHERE scope = %s", [scope.id])

    broken = [one for one in found(sealed) if one[0] == "seal-broken"]

    assert [(of, "is gone" in what) for _, of, what in broken if of] == [(scope.id, True)]
    assert ["differ from the seal of that night" in what for _, of, what in broken if of is None] == [True]


def test_deleted_seals_of_a_tenant_are_detected(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    superuser.execute("DELETE FROM ledger_seals WHERE scope = %s", [BOB.id])
    superuser.execute("DELETE FROM tenant_seals WHERE tenant = 'globex'")

    assert found(sealed) == [("seal-missing", None, "tenant globex")]


def test_deleted_words_are_detected_without_an_erasure(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    of_bob = "delta IN (SELECT id FROM deltas WHERE scope = %s)"
    superuser.execute(f"DELETE FROM delta_payloads WHERE {of_bob}".encode(), [BOB.id])

    (broken,) = [one for one in found(sealed) if one[0] == "seal-broken"]

    assert broken[1] == BOB.id
    assert broken[2].endswith("are gone, and nothing was erased")


def test_a_delta_deleted_with_its_fact_and_its_seal_is_detected(
    sealed: wiring.Parts, superuser: psycopg.Connection
) -> None:
    cat = superuser.execute("SELECT id FROM deltas WHERE scope = %s ORDER BY recorded DESC", [BOB.id]).fetchone()
    assert cat is not None
    for change in (
        "DELETE FROM deltas WHERE id = %s",
        "DELETE FROM facts WHERE fact = %s",
        "DELETE FROM delta_payloads WHERE delta = %s",
        "DELETE FROM delta_sources WHERE delta = %s",
    ):
        superuser.execute(change.encode(), cat)
    superuser.execute(
        "DELETE FROM ledger_seals AS s WHERE scope = %s "
        "AND until > (SELECT max(recorded) FROM deltas AS d WHERE d.scope = s.scope)",
        [BOB.id],
    )

    (broken,) = [what for name, of, what in found(sealed) if name == "seal-broken" and of is None]

    assert broken.endswith("differ from the seal of that night")


def test_forgetting_correcting_and_undoing_break_no_seal(sealed: wiring.Parts, superuser: psycopg.Connection) -> None:
    memory = Memory(sealed)
    bob = memory.scope("bob", agent="concierge", tenant="globex")

    def named(name: str) -> uuid.UUID:
        return next(one.id for one in bob.history() if name in one.text)

    memory.forget(fact=named("Oslo"), tenant="globex", rewrite=False)
    emptied = superuser.execute("SELECT delta FROM delta_payloads WHERE payload ->> 'reason' = ''").fetchall()
    assert emptied == [(named("Bergen"),)], "the reason of what replaced it named it"
    assert found(sealed) == []

    bob.correct(named("Bergen"), reason="never so")
    memory.undo(since=datetime(2020, 1, 1, tzinfo=UTC), tenant="acme", reason="all of it")
    memory.forget(fact=named("Tiny"), tenant="globex", rewrite=False)
    due_work.drain(sealed, None, 60)
    night(sealed)
    assert found(sealed) == []


def test_a_process_without_the_owner_cannot_change_a_seal(sealed: wiring.Parts) -> None:
    with sealed.database.tenant("acme") as connection, pytest.raises(Exception, match="permission denied"):
        connection.exec_driver_sql("UPDATE ledger_seals SET deltas = 0")


def test_what_was_pushed_matches_its_digest_in_the_check_and_in_an_export(parts: wiring.Parts, tmp_path: Path) -> None:
    """Postgres stores 1e16 as an integer and -0.0 as 0.0, and secrets are masked before the digest is made."""
    memory = Memory(parts)
    scope = memory.scope("ann")
    scope.push("my password is hunter2xyz and my key is sk-abcdefghijklmnopqrstuvwxyz123456")
    for number, numbers in enumerate(NUMBERS):
        scope.push(
            f"number {number}", metadata={"numbers": numbers, "text": "ÅÄ \u2028 e+ \U0001f600", "in": {"b": None}}
        )
    scope.push("with a time", occurred_at=datetime(2020, 1, 1, 3, 4, 5, 6, tzinfo=UTC), speaker="Ann", role="assistant")
    assert found(parts) == []

    memory.export(tmp_path / "all.jsonl")

    assert memory.verify_export(tmp_path / "all.jsonl", signed=True)
    assert memory.import_file(tmp_path / "all.jsonl", tenant="globex").rows["episodes"] == 5
    assert found(parts) == []


def test_a_plain_digest_counts_only_without_an_id_key(
    parts: wiring.Parts, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Episode(content="I live in Oslo", key="k")
    parts.push(ALICE, [told])
    superuser.execute("UPDATE episode_keys SET digest = %s", [told.digest])
    assert found(parts) == []

    monkeypatch.setattr("slowwave.store.seals.episodes.keyed_namespace", uuid.uuid4)
    assert [name for name, _, _ in found(parts)] == ["episode-changed"]


NUMBERS: list[Any] = [
    [1e16, 10**16, 1.2345678901234567e18, 1767225600123456789, 1e22, 1.5e300, -0.0, 0.0],
    [0, 1e-7, 5e-324, 1.0, True, 1e15, 123456789.0, -1e17, 2**63 - 1],
    [0.0, -0.0] * 20,
]


@pytest.mark.parametrize("numbers", [*NUMBERS[:2], [-0.0] * 20, [1e17, 0.0] * 20, [10**17] * 20])
def test_a_digest_of_a_former_version_matches(
    parts: wiring.Parts, superuser: psycopg.Connection, numbers: list[Any]
) -> None:
    told = Episode(content="I live in Oslo", key="k", metadata={"numbers": numbers})
    parts.push(ALICE, [told])
    superuser.execute("UPDATE episode_keys SET digest = %s", [told.former_digest])

    assert found(parts) == []
    assert parts.push(ALICE, [told])[0].state == "stored"
