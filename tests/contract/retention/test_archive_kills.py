"""An archive that is killed between any two of its transactions ends up where one that was left alone does."""

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

import pytest

from slowwave.domain.job_table import ARCHIVE, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.archive import Archive, ArchiveStore, Batch, Cursor, Expired
from slowwave.memory import due_work
from slowwave.store.retention.archive import PostgresArchive
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import later
from tests.contract.retention.harness import Keep, keep, tell, withdraw

__all__ = ["keep"]
T = TypeVar("T")
DAY = timedelta(days=1)
CUTS = 16


class Killed(BaseException):
    """What no handler of ours catches: the process is gone."""


@dataclass
class Mortal:
    """A `ArchiveStore` whose process is killed around the n-th transaction it makes for the tenant `cut-n`, once."""

    keeping: ArchiveStore
    steps: Counter[str] = field(default_factory=Counter)
    killed: set[str] = field(default_factory=set)

    def archive(self, run: Run) -> int:
        return self._around(run, lambda: self.keeping.archive(run))

    def expired(self, run: Run, after: Cursor) -> Expired:
        return self._around(run, lambda: self.keeping.expired(run, after))

    def drop(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> int | None:
        return self._around(run, lambda: self.keeping.drop(run, scope, facts))

    def expire(self, run: Run, after: Cursor) -> Batch:
        return self._around(run, lambda: self.keeping.expire(run, after))

    def tombstone(self, run: Run, after: Cursor) -> Batch:
        return self._around(run, lambda: self.keeping.tombstone(run, after))

    def _around(self, run: Run, act: Callable[[], T]) -> T:
        self.steps[run.tenant] += 1
        done = act()
        if run.tenant == f"cut-{self.steps[run.tenant]}" and run.tenant not in self.killed:
            self.killed.add(run.tenant)
            raise Killed
        return done


def state(harness: Harness, tenant: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return what is there in words that are the same for every tenant."""
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
    mortal = Mortal(PostgresArchive(database, batch=1))
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
