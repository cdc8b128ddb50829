"""The check of invariants: it reports planted damage with ids, and nothing in a sound database."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

import psycopg
import pytest

from slowwave import wiring
from slowwave.core.health import KEPT, OF_A_TENANT, OF_THE_INSTALLATION, PROJECTED, REBUILT
from slowwave.domain.episode import Episode
from slowwave.domain.finding import Finding
from slowwave.domain.job_table import CHECK, pack_of
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import MemoryScope, due_work
from slowwave.testing import move_clock
from tests.databases import Lent, copied, opened
from tests.integration.command import Run
from tests.unit.tables import table

ALICE = Scope("acme", "alice", "concierge", "trip")
BOB = Scope("globex", "bob", "concierge")
SAID = ("I moved to Lisbon", "I like sardines", "I just moved to Oslo", "I am allergic to peanuts")

ROWS = table(__file__)
DAMAGE: dict[str, Sequence[str]] = ROWS["damage"]
"""Statements that damage a sound database, by the invariant that each violates."""

MORE_DAMAGE: Sequence[tuple[str, str]] = [
    (invariant, one) for invariant, those in ROWS["more"].items() for one in those
]


@pytest.fixture(scope="module")
def lent(template: str, postgres_server: PostgresServer, heavy_parts: dict[str, object]) -> Iterator[Lent]:
    """A database with episodes of two tenants and no pending work, for one test after another."""
    with copied(postgres_server, template, "lived") as name:
        with opened(postgres_server, name, heavy_parts) as parts:
            assert found(parts) == []
            for scope in (ALICE, Scope("acme", "alice", "concierge"), BOB):
                parts.push(scope, [Episode(content=text, key=f"k{number}") for number, text in enumerate(SAID)])
                due_work.fire(parts, scope.id)
            work_off(parts)
        lent = Lent(postgres_server, name)
        yield lent
        lent.close()


def work_off(parts: wiring.Parts) -> None:
    while report := due_work.run_next(parts, owner="ann"):
        assert report.outcome == "ok"


def found(parts: wiring.Parts, *, folds: int | None = None) -> list[Finding]:
    return list(wiring.checks(parts.database).findings(folds=folds))


def harm(superuser: psycopg.Connection, statements: Sequence[str]) -> None:
    ((tomorrow,),) = superuser.execute("SELECT to_char(slowwave_now() + interval '1 day', 'YYYY_MM_DD')").fetchall()
    for statement in statements:
        superuser.execute(statement.replace("{tomorrow}", tomorrow).replace("{bob}", str(BOB.id)))


def test_a_sound_database_has_no_findings(parts: wiring.Parts) -> None:
    assert found(parts) == []


def test_a_sound_database_has_no_findings_after_each_job_and_during_a_run(parts: wiring.Parts, owner_url: str) -> None:
    MemoryScope(parts, ALICE).recall("where do I live?", limit=5)
    for days in (1, 40, 120):
        move_clock(owner_url, timedelta(days=days))
        due_work.tick(parts, by="scheduler@here:1")
        work_off(parts)
    parts.push(ALICE, [Episode(content="I moved to Rome", key="later")])
    due_work.fire(parts, ALICE.id)
    assert parts.runs.claim(owner="bob", scope=ALICE.id, jobs=["consolidate"], overdue_seconds=0)

    assert found(parts) == []


@pytest.mark.parametrize(
    ("invariant", "statements"), [*DAMAGE.items(), *((invariant, [statement]) for invariant, statement in MORE_DAMAGE)]
)
def test_the_check_finds_planted_damage(
    parts: wiring.Parts, superuser: psycopg.Connection, invariant: str, statements: Sequence[str]
) -> None:
    harm(superuser, statements)

    assert invariant in {finding.invariant for finding in found(parts)}


def test_each_invariant_has_planted_damage() -> None:
    assert set(DAMAGE) == {one.name for one in (*OF_A_TENANT, *OF_THE_INSTALLATION, KEPT, REBUILT, PROJECTED)}


def test_a_finding_contains_ids_and_no_user_text(parts: wiring.Parts, superuser: psycopg.Connection) -> None:
    for invariant, statements in DAMAGE.items():
        if invariant not in ("two-live-versions", "work-forgotten"):
            harm(superuser, statements)

    said = "\n".join(map(str, found(parts)))

    assert len(said.splitlines()) > 20
    for word in ("Lisbon", "Oslo", "sardines", "peanuts", "alice", "bob"):
        assert word not in said


def test_each_ledger_is_folded_on_its_own_day_or_all_at_once(
    parts: wiring.Parts, superuser: psycopg.Connection, owner_url: str
) -> None:
    harm(superuser, DAMAGE["fold-differs"])
    days: list[bool] = []
    for day in range(40):
        move_clock(owner_url, timedelta(days=day))
        days.append(REBUILT.name in {finding.invariant for finding in found(parts, folds=1)})
        if {*days} == {True, False}:
            break

    assert {*days} == {True, False}
    assert REBUILT.name in {finding.invariant for finding in found(parts)}


# added by the job


def test_the_check_job_counts_its_findings_and_logs_ids(
    parts: wiring.Parts, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    harm(superuser, DAMAGE["episode-lost"])
    parts.schedule.fire_job(CHECK, pack_of(CHECK), by="test")
    report = due_work.run_next(parts, owner="ann", only=[CHECK])

    ((counts,),) = superuser.execute("SELECT counts FROM runs WHERE job = 'check'").fetchall()
    assert report is not None
    assert report.outcome == "ok"
    assert (counts["findings"], counts["episode-lost"]) == (2, 2)
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 2
    assert all(re.match(r"episode-lost: episode [0-9a-f-]{36} at 2 of scope [0-9a-f-]{36}", error) for error in errors)


def test_each_registered_job_has_a_schedule(parts: wiring.Parts) -> None:
    scheduled = {schedule.job for schedule in parts.schedule.schedules() if schedule.kind != "manual"}

    # a push asks for the first, an operator for the second, and a pack that needs a model for the last
    assert set(parts.jobs) - scheduled == {"prepare", "retry", "plan"}


# by hand


def test_check_prints_that_every_invariant_holds(parts: wiring.Parts, run: Run) -> None:
    said = run("check")
    assert (said.status, said.out) == (0, "every invariant holds\n")


def test_check_exits_with_1_and_prints_each_finding_with_its_remedy(
    parts: wiring.Parts, superuser: psycopg.Connection, run: Run
) -> None:
    harm(superuser, DAMAGE["job-unscheduled"])

    said, as_json = run("check"), run("check", "--json", "--all")

    assert (said.status, as_json.status) == (1, 1)
    assert said.out.startswith("BAD  job-unscheduled: pack _check, tenant _system → run `slowwave db migrate`")
    assert said.out.splitlines()[-1] == "1 finding"
    assert [finding["invariant"] for finding in as_json.json] == ["job-unscheduled"]
