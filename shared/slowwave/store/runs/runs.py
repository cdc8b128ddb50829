"""The run protocol on Postgres: each step is one transaction, and every write is guarded by the lease's fence."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, TypeVar

from sqlalchemy import Connection

from slowwave.core.fold import Fold
from slowwave.core.late_arrivals import Past, Since
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import CONSOLIDATE, PLAN, RETRY
from slowwave.domain.run import Run
from slowwave.ports import Plan
from slowwave.ports.context import Place, Upcoming
from slowwave.runtime import clock
from slowwave.store import dead_letters, pending_windows
from slowwave.store import late_arrivals as late
from slowwave.store.audit import log as audit
from slowwave.store.beliefs import held_facts
from slowwave.store.database import Database
from slowwave.store.inbox import stored_episodes as inbox
from slowwave.store.late_arrivals import earlier_decisions, past_since
from slowwave.store.runs import settling
from slowwave.store.runs.settling import settled
from slowwave.store.statements import sql
from slowwave.store.work_queue import intents, leases

T = TypeVar("T")
SEARCH_SHARE = 0.05
"""Share of its time that a process with work of only one tenant spends on the search for work of other tenants."""


class PostgresRuns:
    """A `RunStore`. *largest* is the longest window of each job, in episodes; *space* names the embedding space.

    *ahead* is how many windows of a scope and pack may wait for a model.
    """

    def __init__(
        self,
        database: Database,
        *,
        lease_seconds: float,
        largest: Mapping[str, int],
        space: tuple[str, int],
        ahead: int = 3,
        made_by: Callable[[str], str] = lambda _pack: "",
    ) -> None:
        self._ahead, self._made_by = ahead, made_by
        self._database = database
        self._lease_seconds = lease_seconds
        self._largest = largest
        self._space_name, self._dimensions = space
        self._served: list[str] = []
        self._alone_until = 0.0

    def claim(
        self,
        *,
        owner: str,
        scope: uuid.UUID | None,
        jobs: Sequence[str] | None,
        overdue_seconds: float,
        task: str = "",
        others: bool = False,
    ) -> Run | None:
        asked: dict[str, Any] = {"owner": owner, "jobs": jobs, "overdue_seconds": overdue_seconds, "task": task}
        run = self._of_next_tenant(**asked) if scope is None else None
        if run is None and not others:
            run = self._claim(scope=scope, **asked)
        if run is not None and run.tenant not in self._served:
            self._served.append(run.tenant)
        return run

    def _of_next_tenant(self, **asked: Any) -> Run | None:
        """Claim a run of a tenant that this process has not served in this round.

        If there is none, a new round begins. The search reads all due work. After a round with one tenant, it pauses
        as long as `SEARCH_SHARE` asks, so that the other tenant of a small installation waits for no more than a run.
        """
        begun = clock.monotonic()
        if not self._served or begun < self._alone_until:
            return None
        run = self._claim(scope=None, besides=self._served, **asked)
        if run is None:
            if len(self._served) == 1:
                now = clock.monotonic()
                self._alone_until = now + (now - begun) / SEARCH_SHARE
            self._served.clear()
        return run

    def _claim(self, **asked: Any) -> Run | None:
        with self._database.dispatch() as connection:
            return self._claimed(connection, **asked)

    def _claimed(self, connection: Connection, **asked: Any) -> Run | None:
        return intents.claim(
            connection,
            lease_seconds=self._lease_seconds,
            largest=self._largest,
            ahead=self._ahead,
            settings=self._settings,
            **asked,
        )

    def _settings(self, job: str, pack: str) -> Mapping[str, Any]:
        """Return the settings in force for a run, with the *reader* of its pack if that has versions of its own."""
        made_by = self._made_by(pack) if job in (CONSOLIDATE, RETRY) else ""
        reader = {"reader": made_by} if made_by else {}
        return {"lease_seconds": self._lease_seconds, "space": self._space_name, **reader}

    def renew(self, run: Run) -> bool:
        with self._database.dispatch() as connection:
            return leases.renew(connection, run, self._lease_seconds)

    def episodes(self, run: Run) -> list[StoredEpisode]:
        with self._database.tenant(run.tenant) as connection:
            return _window(connection, run)

    def episodes_and_before(self, run: Run) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        with self._database.tenant(run.tenant) as connection:
            episodes = _window(connection, run)
            return episodes, inbox.episodes_before(connection, run.scope, episodes, chosen=bool(run.only))

    def upcoming(self, run: Run, *, begun: Collection[Place], most: int) -> Iterator[Upcoming]:
        with self._database.dispatch() as connection:
            places = settling.upcoming(connection, run, largest=self._largest.get(CONSOLIDATE, 1), most=most)
        places = [one for one in places if one[1:4] not in begun]
        for tenant, own in groupby(sorted(places, key=_tenant), key=_tenant):
            with self._database.tenant(tenant) as connection:
                for _, scope, pack, lo, hi in own:
                    yield _upcoming(connection, (scope, pack, lo), inbox.window(connection, scope, lo, hi))

    def episodes_and_upcoming(
        self, run: Run, *, begun: Collection[Place]
    ) -> tuple[list[StoredEpisode], list[Upcoming]]:
        with self._database.tenant(run.tenant) as connection:
            largest = self._largest.get(CONSOLIDATE, 1)
            places = settling.upcoming_of_scope(connection, run.scope, largest=largest)
            episodes = _window(connection, run)
            read = {episode.position: episode for episode in episodes}
            return episodes, [
                _upcoming(connection, place, [one for position, one in read.items() if lo <= position <= hi])
                for place, lo, hi in places()
                if place not in begun and lo in read and hi in read
            ]

    def held(self, run: Run, claims: Sequence[Claim], *, ordered: bool = False) -> Fold:
        with self._database.tenant(run.tenant) as connection:
            return held_facts.fold_over(connection, run.scope, run.pack, claims, ordered=ordered)

    def past(self, run: Run, claims: Sequence[Claim]) -> Past | None:
        with self._database.tenant(run.tenant) as connection:
            return earlier_decisions(connection, run.scope, run.pack, claims)

    def newest(self, run: Run) -> datetime | None:
        with self._database.tenant(run.tenant) as connection:
            return late.newest(connection, run.scope, run.before)

    def told_since(self, run: Run, occurred: datetime) -> list[Since]:
        with self._database.tenant(run.tenant) as connection:
            return late.told_since(connection, run.scope, run.before, occurred)

    def behind(self, run: Run, facts: Collection[uuid.UUID]) -> list[Since]:
        with self._database.tenant(run.tenant) as connection:
            return late.behind(connection, run.scope, facts)

    def turns_since(
        self, run: Run, occurred: datetime, words: Sequence[str]
    ) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        with self._database.tenant(run.tenant) as connection:
            turns = late.turns_since(connection, run.scope, run.before, occurred, words)
            return turns, inbox.episodes_before(connection, run.scope, turns, chosen=True)

    def past_since(self, run: Run, claims: Sequence[Claim], since: Sequence[Since]) -> Past:
        with self._database.tenant(run.tenant) as connection:
            return past_since(connection, run.scope, run.pack, claims, since)

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        return self._fenced(run, lambda connection: self._settled(connection, run, plan))

    def settle_and_claim(
        self, run: Run, plan: Plan, *, scope: uuid.UUID | None, **asked: Any
    ) -> tuple[Counter[str], Run | None]:
        def write(connection: Connection) -> tuple[Counter[str], Run | None]:
            counts = self._settled(connection, run, plan)
            alone = scope is not None or clock.monotonic() < self._alone_until
            return counts, self._claimed(connection, scope=scope, fresh=True, **asked) if alone else None

        return self._fenced(run, write)

    def _settled(self, connection: Connection, run: Run, plan: Plan) -> Counter[str]:
        return settled(connection, run, plan, space=(self._space_name, self._dimensions))

    def traces(self, run: Run) -> list[str]:
        asked = {"scope": run.scope, "lo": run.lo, "hi": run.hi}
        with self._database.tenant(run.tenant) as connection:
            return list(connection.exec_driver_sql(sql("runs/traces"), asked).scalars())

    def narrow(self, run: Run, error: str, *, wait_seconds: float = 0) -> None:
        def write(connection: Connection) -> None:
            leases.fence(connection, run)
            leases.narrow(connection, run, error, wait_seconds=wait_seconds)

        self._fenced(run, write)

    def bury(self, run: Run, *, category: str, reason: str) -> None:
        def write(connection: Connection) -> None:
            leases.fence(connection, run)
            if run.job == CONSOLIDATE and pending_windows.end_crashing_chunk(connection, run, reason):
                return leases.finish(connection, run, "dead", error=reason)
            leases.pass_window(connection, run)
            if run.job == PLAN:
                pending_windows.planned(connection, run, edition="", requests=())
            dead_letters.bury_window(connection, run, category=category, reason=reason)
            audit.log_write(
                connection, "store", "semantic", scope=run.scope, run=run.run, error=reason, detail={"pack": run.pack}
            )
            leases.finish(connection, run, "dead", error=reason)

        self._fenced(run, write)

    def give_back(self, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
        def write(connection: Connection) -> None:
            leases.fence(connection, run)
            leases.give_back(connection, run, outcome, wait_seconds=wait_seconds, error=error)

        self._fenced(run, write)

    def put_off(self, run: Run, error: str, *, wait_seconds: float) -> None:
        def write(connection: Connection) -> None:
            leases.fence(connection, run)
            leases.put_off(connection, run, error, wait_seconds=wait_seconds)

        self._fenced(run, write)

    def fail(self, run: Run, error: str) -> None:
        def write(connection: Connection) -> None:
            leases.fence(connection, run)
            leases.finish(connection, run, "failed", error=error)

        self._fenced(run, write)

    def strike(self, run: Run) -> int:
        def write(connection: Connection) -> int:
            leases.fence(connection, run)
            return leases.strike(connection, run)

        return self._fenced(run, write)

    def _fenced(self, run: Run, write: Callable[[Connection], T]) -> T:
        with self._database.tenant(run.tenant) as connection:
            return write(connection)


def _tenant(place: tuple[str, uuid.UUID, str, int, int]) -> str:
    return place[0]


def _upcoming(connection: Connection, place: Place, episodes: Sequence[StoredEpisode]) -> Upcoming:
    return Upcoming(place, inbox.episodes_before(connection, place[0], episodes, chosen=False), episodes)


def _window(connection: Connection, run: Run) -> list[StoredEpisode]:
    wanted = set(run.positions)
    found = inbox.window(connection, run.scope, run.lo, run.hi)
    return [episode for episode in found if episode.position in wanted]
