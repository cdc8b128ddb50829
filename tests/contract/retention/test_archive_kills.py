"""The archive job removes what its preview lists; a killed job ends like an undisturbed one."""

import json
import random
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner

from slowwave.cli.archive import archive_command
from slowwave.domain.job_table import ARCHIVE, DECAY, pack_of
from slowwave.domain.retention import Preview
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced, Incorrect
from slowwave.jobs.lifecycle import Archive
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.store.database import Database
from slowwave.store.retention.archive import PostgresArchive, preview
from slowwave.store.retention.expired import Batch, Cursor, Expired
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, later, now, run
from tests.contract.retention.harness import Keep, keep, tell, withdraw

__all__ = ["keep"]


T = TypeVar("T")
DAY = timedelta(days=1)
CUTS = 16


class Killed(BaseException):
    """An exception that no handler of ours catches. It stands for the death of the process."""


class Mortal(PostgresArchive):
    """An archive whose process is killed around the n-th transaction for the tenant `cut-n`, once."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, batch=1)
        self.steps, self.killed = Counter[str](), set[str]()

    def archive(self, run: Run) -> int:
        return self._around(run, partial(super().archive, run))

    def expired(self, run: Run, after: Cursor) -> Expired:
        return self._around(run, partial(super().expired, run, after))

    def drop(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> int | None:
        return self._around(run, partial(super().drop, run, scope, facts))

    def expire(self, run: Run, after: Cursor) -> Batch:
        return self._around(run, partial(super().expire, run, after))

    def tombstone(self, run: Run, after: Cursor) -> Batch:
        return self._around(run, partial(super().tombstone, run, after))

    def _around(self, run: Run, act: Callable[[], T]) -> T:
        self.steps[run.tenant] += 1
        done = act()
        if run.tenant == f"cut-{self.steps[run.tenant]}" and run.tenant not in self.killed:
            self.killed.add(run.tenant)
            raise Killed
        return done


def state(harness: Harness, tenant: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the state of a tenant in a form that is equal for all tenants."""
    queries = {
        "conversations": "SELECT session, archived IS NOT NULL, tombstoned >= touched FROM conversations",
        "facts": "SELECT object, upper_inf(recorded) FROM facts",
        "deltas": "SELECT kind, rule, count(*) FROM deltas",
        "entities": "SELECT name, tombstoned IS NOT NULL, due IS NOT NULL FROM entities",
    }
    grouped = {"deltas": " GROUP BY 1, 2"}
    return {
        name: sorted(harness.rows(f"{query} WHERE tenant = %s{grouped.get(name, '')}", tenant), key=repr)
        for name, query in queries.items()
    }


def test_an_archive_job_killed_between_transactions_is_finished_by_the_next(harness: Harness, keep: Keep) -> None:
    database = keep(drop_after={"semantic": 100 * DAY, "episodic": 120 * DAY})
    mortal = Mortal(database)
    harness.parts.jobs[ARCHIVE] = Archive(mortal)
    tenants = ["left alone", *(f"cut-{number}" for number in range(1, CUTS + 1))]
    for tenant in tenants:
        scope = Scope(tenant, "alice", "concierge")
        tell(harness, scope, "I like figs", "I live in Oslo", session="s1")
        tell(harness, scope, "The harbour is quiet", session="s2")
        withdraw(harness, scope, "Oslo")
    later(harness, days=130)

    harness.parts.schedule.fire_job(ARCHIVE, pack_of(ARCHIVE), by="test")
    deaths = 0
    while True:
        try:
            if due_work.run_next(harness.parts, owner=f"worker {deaths}", only=[ARCHIVE]) is None:
                if not harness.value("SELECT count(*) FROM intents WHERE job = 'archive'"):
                    break
                later(harness, seconds=1)
        except Killed:
            deaths += 1

    wanted = state(harness, "left alone")
    assert mortal.steps["left alone"] == deaths <= CUTS, "every gap between two transactions was tried"
    assert ("user", True, False) in wanted["entities"]
    assert ("s2", True, True) in wanted["conversations"]
    assert ("delete", "archive/default", 1) in wanted["deltas"]
    for tenant in tenants[1:]:
        assert state(harness, tenant) == wanted, tenant


def test_a_fenced_archive_run_writes_nothing(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, "I live in Oslo")
    later(harness, days=91)
    harness.parts.schedule.fire_job(ARCHIVE, pack_of(ARCHIVE), by="test")
    frozen = harness.claimed("ann", jobs=[ARCHIVE])
    harness.later(harness.lease + 1)
    harness.claimed("bob", jobs=[ARCHIVE])

    with pytest.raises(Fenced):
        PostgresArchive(harness.parts.database).archive(frozen)

    assert harness.value("SELECT count(*) FROM conversations WHERE archived IS NOT NULL") == 0


DAYS = 30
FATES = ("archived", "expired", "faded", "dropped", "tombstoned")


def live(harness: Harness, dice: random.Random) -> None:
    """Let three people talk and ask questions over half a year, and withdraw some statements."""
    people = [Scope("default", f"user-{number}", "concierge") for number in range(4)]
    for month in range(6):
        for person in people:
            if dice.random() < 0.7:
                topic = f"{person.user}{month}"
                tell(harness, person, f"I like food{topic}", f"My friend Zoe{month} likes tea{topic}", session=topic)
        later(harness, days=dice.randint(20, 40))
        for person in people:
            if dice.random() < 0.4:
                withdraw(harness, person, f"food{person.user}{dice.randint(0, month)}")
    for (fact,) in harness.rows("SELECT memory FROM standing WHERE kind = 'semantic' ORDER BY created, memory"):
        if dice.random() < 0.4:
            changed(harness, fact, source="inferred", base=0.7, decay_due=now(harness))
        if dice.random() < 0.2:
            changed(harness, fact, last_access=now(harness))
    run(harness, DECAY)
    run(harness, ARCHIVE)
    MemoryScope(harness.parts, people[0]).hold("a court asked")


def gone(harness: Harness) -> dict[str, set[tuple[str, str]]]:
    """Return the number of removed memories, by outcome."""
    queries = {
        "archived": "SELECT scope::text, session FROM conversations WHERE archived IS NOT NULL",
        "expired": "SELECT scope::text, session FROM conversations WHERE tombstoned >= touched",
        "faded": "SELECT scope::text, replaces[1]::text FROM deltas WHERE pack = '_decay'",
        "dropped": "SELECT scope::text, replaces[1]::text FROM deltas WHERE pack = '_archive'",
        "tombstoned": "SELECT scope::text, entity::text FROM entities WHERE tombstoned IS NOT NULL",
    }
    return {fate: set(harness.rows(query)) for fate, query in queries.items()}


def said(found: Preview) -> dict[str, set[tuple[str, str]]]:
    return {fate: {(str(one.scope), one.id) for one in getattr(found, fate)} for fate in FATES}


@pytest.mark.parametrize(("seed", "nights"), [(1, 1), (2, 1), (3, 6)])
def test_the_archive_job_removes_what_its_preview_lists(harness: Harness, keep: Keep, seed: int, nights: int) -> None:
    database = keep(batch=2, drop_after={"semantic": 120 * DAY, "episodic": 150 * DAY})
    live(harness, random.Random(seed))
    before = gone(harness)

    found = preview(database, "default", DAYS)
    for _ in range(nights):
        later(harness, days=DAYS / nights)
        run(harness, DECAY)
        run(harness, ARCHIVE)

    after = gone(harness)
    assert {fate: after[fate] - before[fate] for fate in FATES} == said(found)
    assert sum(bool(getattr(found, fate)) for fate in FATES) >= 3, "the life was too short to show anything"


def test_a_preview_writes_nothing(harness: Harness, keep: Keep) -> None:
    database = keep(drop_after={"semantic": DAY, "episodic": DAY})
    live(harness, random.Random(4))
    tables = ("conversations", "entities", "standing", "deltas", "facts", "audit_log", "intents", "firings", "runs")

    def everything() -> list[object]:
        return [
            harness.value(f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {name} t") for name in tables
        ]

    before = everything()
    found = preview(database, "default", 400)

    assert found.archived
    assert everything() == before


def test_a_preview_of_a_past_or_far_time_is_refused(harness: Harness) -> None:
    for days in (-1, 1e6):
        with pytest.raises(Incorrect):
            Memory(harness.parts).archive_preview(days)


def test_the_archive_command_previews_and_lists_holds_and_restores(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_URL", harness.parts.url)
    tell(harness, scope, "I live in Oslo", session="s[1]")
    whose = ["--user", scope.user, "--agent", scope.agent]

    def slowwave(*arguments: str) -> str:
        done = CliRunner().invoke(archive_command, list(arguments), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert "1 conversation archived:\n    s[1]" in slowwave("simulate", "--days", "90")
    assert [one["id"] for one in json.loads(slowwave("simulate", "--days", "90", "--json"))["archived"]] == ["s[1]"]
    assert "0 conversations archived" in slowwave("simulate")

    assert slowwave("hold", *whose, "--reason", "a court asked").startswith("hold 1 is in force on")
    assert "0 conversations archived" in slowwave("simulate", "--days", "90")
    assert "a court asked" in slowwave("holds")
    assert slowwave("release", "1") == "hold 1 is released\n"

    assert slowwave("put", "s[1]", *whose) == "s[1] is archived\n"
    assert "s[1]" in slowwave("list")
    assert slowwave("restore", "s[1]", *whose) == "s[1] is restored\n"
    assert slowwave("list") == "no conversation is archived\n"
