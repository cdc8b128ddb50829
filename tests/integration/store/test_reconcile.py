"""Work without an intent is found within the hour, and installation jobs run beside other work."""

from datetime import timedelta

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CHECK, CONSOLIDATE, PARTITIONS, PREPARE, RECONCILE, pack_of
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.testing import move_clock

ALICE = Scope("acme", "alice", "concierge")


def fire(parts: wiring.Parts, job: str) -> None:
    parts.schedule.fire_job(job, pack_of(job), by="test")


def test_reconcile_requests_lost_work_and_logs_it(
    parts: wiring.Parts, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    parts.push(ALICE, [Episode(content="I live in Oslo", key="k")])
    superuser.execute("DELETE FROM intents")
    assert [one.invariant for one in wiring.checks(parts.database).findings(folds=None)] == ["work-forgotten"] * 2
    fire(parts, RECONCILE)

    report = due_work.run_next(parts, owner="ann", only=[RECONCILE])

    assert report is not None
    assert report.outcome == "ok"
    counts = superuser.execute("SELECT counts -> 'orphans' FROM runs WHERE job = 'reconcile'").fetchall()
    assert counts == [(2,)]
    assert "2 scopes had episodes without an intent" in caplog.text
    while due_work.run_next(parts, owner="ann"):
        pass
    assert "Oslo" in [fact.object for fact in parts.records.facts(ALICE)]
    assert list(wiring.checks(parts.database).findings(folds=None)) == []


def test_reconcile_without_lost_work_changes_nothing(
    parts: wiring.Parts, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    parts.push(ALICE, [Episode(content="I live in Oslo", key="k")])
    before = superuser.execute("SELECT intent, due, target FROM intents ORDER BY intent").fetchall()
    fire(parts, RECONCILE)

    due_work.run_next(parts, owner="ann", only=[RECONCILE])

    assert superuser.execute("SELECT intent, due, target FROM intents ORDER BY intent").fetchall() == before
    assert caplog.text == ""


def test_installation_jobs_run_while_new_episodes_arrive(parts: wiring.Parts, owner_url: str) -> None:
    parts.push(ALICE, [Episode(content="I live in Oslo", key="k")])
    due_work.fire(parts, ALICE.id)
    for job in (PARTITIONS, RECONCILE, CHECK):
        fire(parts, job)
    move_clock(owner_url, timedelta(seconds=2))  # preparation goes before what came due in the same second
    done: list[str] = []
    for number in range(9):
        parts.push(Scope("acme", f"user-{number}", "concierge"), [Episode(content="I like tea", key="k")])
        report = due_work.run_next(parts, owner="ann")
        assert report is not None
        done.append(report.job)

    assert done == [PREPARE, PARTITIONS, CONSOLIDATE, RECONCILE, CHECK, *[PREPARE] * 4], (
        "the installation has its turns"
    )
