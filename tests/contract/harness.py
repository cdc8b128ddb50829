"""The run protocol by hand: claim, think and settle in single steps, on a clock that the test moves."""

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

import psycopg

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.fact import Fact
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.jobs.run import Job
from slowwave.jobs.run import work as work_once
from slowwave.memory import MemoryScope, due_work
from slowwave.ports import Plan
from slowwave.store import dead_letters
from slowwave.testing import move_clock

T = TypeVar("T")
PACK = "everyday"


@dataclass
class Harness:
    """One database with the everyday pack, workers by name, and a clock."""

    parts: wiring.Parts
    owner_url: str
    superuser_url: str
    _offset: timedelta = field(default_factory=timedelta)
    _stopped: datetime | None = None
    _has_clock: bool = False
    _connection: psycopg.Connection[Any] | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)

    @property
    def lease(self) -> float:
        """The length of a lease in seconds."""
        return self.parts.settings.lease_seconds

    def later(self, seconds: float) -> None:
        """Move the database's clock by *seconds*, which may be negative."""
        self._offset += timedelta(seconds=seconds)
        if self._has_clock:
            self.rows("UPDATE test_clock SET stopped = %s, shift = %s", self._stopped, self._offset)
        else:
            move_clock(self.owner_url, self._offset)
            self._has_clock = True

    def stop_clock(self) -> None:
        """Stop the database's clock; only `later` moves it from here on."""
        self._stopped = self.value("SELECT clock_timestamp()")
        self.later(0)

    def close(self) -> None:
        """Close the connection that reads rows."""
        if self._connection is not None:
            self._connection.close()

    def told(self, scope: Scope, count: int, *, start: int = 1) -> list[Episode]:
        """Push *count* different episodes, and request their consolidation now."""
        episodes = [Episode(content=f"I like food{number}", key=f"k{number}") for number in range(start, start + count)]
        self.parts.push(scope, episodes)
        due_work.fire(self.parts, scope.id)
        return episodes

    def learn(self, scope: Scope, episodes: Sequence[Episode | str]) -> None:
        """Push *episodes*, and do all due work, their consolidation too."""
        self.parts.push(scope, episodes)
        due_work.fire(self.parts, scope.id)
        self.drain()

    def claim(
        self, owner: str = "ann", *, scope: Scope | None = None, jobs: Sequence[str] = (CONSOLIDATE,)
    ) -> Run | None:
        """Claim the next due run, as *owner*."""
        return self.parts.runs.claim(owner=owner, scope=scope.id if scope else None, jobs=list(jobs), overdue_seconds=0)

    def claimed(self, owner: str = "ann", *, scope: Scope | None = None, jobs: Sequence[str] = (CONSOLIDATE,)) -> Run:
        """Claim a run that must be due."""
        run = self.claim(owner, scope=scope, jobs=jobs)
        assert run is not None, "nothing is due"
        return run

    def settle(self, run: Run) -> Counter[str]:
        """Think about a claimed run and apply the result."""
        return self.parts.runs.settle(run, self.think(run))

    def attempt(
        self, job: Job, *, owner: str = "ann", scope: Scope | None = None, soft_limit_seconds: float | None = None
    ) -> str | None:
        """Do the due runs of *job*, with any proposal of the packs; return the outcome."""
        report = work_once(
            self.parts.runs,
            {CONSOLIDATE: job},
            owner=owner,
            beat_seconds=self.parts.settings.beat_seconds,
            soft_limit_seconds=soft_limit_seconds or self.parts.settings.soft_limit_seconds,
            scope=scope.id if scope else None,
        )
        return report.outcome if report else None

    def drain(self) -> Counter[str]:
        """Do all due runs; return their outcomes."""
        outcomes: Counter[str] = Counter()
        while report := due_work.run_next(self.parts, owner="drain"):
            outcomes[report.outcome] += 1
        return outcomes

    def bury(
        self,
        scope: Scope,
        *guilty: int,
        jobs: Sequence[str] = (CONSOLIDATE,),
        category: str = "fault",
        reason: str = "it broke",
    ) -> list[tuple[int, int]]:
        """Do the due runs of *jobs*, in which the *guilty* episodes become dead letters; return the windows."""
        windows = []
        while run := self.claim("ann", scope=scope, jobs=jobs):
            windows.append((run.lo, run.hi))
            if len(run.positions) == 1 and run.positions[0] in guilty:
                self.parts.runs.bury(run, category=category, reason=reason)
            elif set(run.positions) & set(guilty):
                self.parts.runs.narrow(run, reason)
            else:
                self.settle(run)
        return windows

    def retry(self, *, tenant: str = "default", position: int | None = None) -> None:
        """Request all episodes of dead letters again, or the one at *position*; reviews stay open."""
        with self.parts.database.tenant(tenant) as connection:
            letters = [letter for letter in dead_letters.letters(connection, state="open")
                       if letter.category != "conflict" and position in (None, letter.position)]  # fmt: skip
            dead_letters.ask_again(connection, letters)

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query as superuser, over all tenants."""
        with self._opening:
            if self._connection is None or self._connection.closed:
                self._connection = psycopg.connect(self.superuser_url, autocommit=True)
        cursor = self._connection.execute(query.encode(), parameters)
        return cursor.fetchall() if cursor.description else []

    def value(self, query: str, *parameters: Any) -> Any:
        """Return the single value of a query."""
        ((value,),) = self.rows(query, *parameters)
        return value

    def column(self, query: str, *parameters: Any) -> list[Any]:
        """Return the values of a query with one column."""
        return [value for (value,) in self.rows(query, *parameters)]

    def think(self, run: Run) -> Plan:
        """Think about a claimed run; return its plan."""
        return self.parts.jobs[run.job].think(run, self.parts.runs)

    def lock_waits(self) -> int:
        """Return the number of sessions that wait for a lock."""
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return int(self.value(waiting))

    def watermark(self, scope: Scope, pack: str = PACK) -> int:
        """Return the position up to which *pack* has consolidated *scope*."""
        return int(self.value("SELECT position FROM watermarks WHERE scope = %s AND pack = %s", scope.id, pack))

    def windows(self, scope: Scope, state: str) -> list[tuple[Any, ...]]:
        """Return the windows and targets of the pack's intents in *state*."""
        return self.rows(
            "SELECT lo, hi, target FROM intents WHERE scope = %s AND pack = %s AND state = %s", scope.id, PACK, state
        )


def at_once(acts: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Run all *acts* concurrently, each in a thread; return their results."""
    results: list[T | Exception] = [RuntimeError("it never ended")] * len(acts)
    start = threading.Barrier(len(acts))

    def one(number: int) -> None:
        start.wait()
        try:
            results[number] = acts[number]()
        except Exception as error:  # noqa: BLE001 - handed to the test as it is
            results[number] = error

    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


def withdraw(memory: MemoryScope, fact: Fact) -> None:
    """Withdraw a fact by hand."""
    memory.apply({
        "kind": "delete", "replaces": [str(fact.id)], "source_episode_ids": [str(fact.sources[0].episode)],
        "promotion_ts": fact.recorded_from, "rule_id": "by hand", "confidence": 1.0,
    })  # fmt: skip


def somebody() -> Scope:
    """Return a new scope."""
    return Scope("default", f"user-{uuid.uuid4().hex[:8]}", "concierge")
