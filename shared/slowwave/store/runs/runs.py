"""The run protocol on Postgres: each step is one transaction, and every write is guarded by the lease's fence."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from slowwave.core.fold import Fold
from slowwave.core.late_arrivals.history import Past
from slowwave.core.late_arrivals.late_claims import Since
from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.job_table import CONSOLIDATE, PLAN, RETRY
from slowwave.domain.run import Run
from slowwave.ports import Plan
from slowwave.ports.context import Place, Upcoming
from slowwave.runtime import clock
from slowwave.store import dead_letters, late_arrivals, pending_windows
from slowwave.store.audit import log as audit
from slowwave.store.beliefs import affected_facts
from slowwave.store.database import Database
from slowwave.store.inbox import stored_episodes as inbox
from slowwave.store.runs import settling
from slowwave.store.runs.settling import settled
from slowwave.store.statements import execute
from slowwave.store.work_queue import intents, leases
from slowwave.store.work_queue.turns import Turns


class PostgresRuns:
    """The run protocol. Every method is one transaction. It raises `Unavailable`, or `Conflict` after a lost race.

    *largest* is the longest window of each job, in episodes; *space* names the embedding space.

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
        self._turns = Turns(database)

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
        """Claim and return the next due run, or None.

        If *others* is true, only tenants that have not had their share of runs in the present round are searched.
        """
        asked: dict[str, Any] = {"owner": owner, "jobs": jobs, "overdue_seconds": overdue_seconds, "task": task}
        run = self._of_next_tenant(others=others, **asked) if scope is None else None
        if run is None and not others:
            run = self._claim(scope=scope, **asked)
        if run is not None:
            self._turns.count(run.tenant)
        return run

    def _of_next_tenant(self, *, others: bool, **asked: Any) -> Run | None:
        """Claim a run of a tenant that has not had its share of runs in this round.

        If there is none, begin a new round. With *others*, the caller goes on with the tenant of the last run, so the
        new round begins with the other tenants.
        """
        begun = clock.monotonic()
        ended = self._turns.ended()
        if not ended:
            return None
        run = self._claim(scope=None, besides=ended, **asked)
        if run is None and (last := self._turns.new_round(begun)) and others:
            run = self._claim(scope=None, besides=last, **asked)
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
        """Return the settings in force for a run, including the reader's version if the pack has a versioned reader."""
        made_by = self._made_by(pack) if job in (CONSOLIDATE, RETRY) else ""
        reader = {"reader": made_by} if made_by else {}
        return {"lease_seconds": self._lease_seconds, "space": self._space_name, **reader}

    def renew(self, run: Run) -> bool:
        """Extend the run's lease; return whether the lease was still held."""
        with self._database.dispatch() as connection:
            return leases.renew(connection, run, self._lease_seconds)

    def episodes(self, run: Run) -> list[StoredEpisode]:
        """Return the episodes of the run's window, in order."""
        with self._database.tenant(run.tenant) as connection:
            return _window(connection, run)

    def episodes_and_before(self, run: Run) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        """Return the window's episodes, and the last turns of their sessions before the window.

        In a window of chosen episodes, return the last turns before each episode.
        """
        with self._database.tenant(run.tenant) as connection:
            episodes = _window(connection, run)
            return episodes, inbox.episodes_before(connection, run.scope, episodes, chosen=bool(run.only))

    def upcoming(self, run: Run, *, begun: Collection[Place], most: int) -> Iterator[Upcoming]:
        """Give at most *most* windows that this process will probably read after *run*; omit the windows in *begun*.

        Gives no window while other workers run, because they may take the windows.
        """
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
        """Return the episodes of *run*, in order, and the windows among these episodes that are due for consolidation.

        Windows are left out as in `upcoming`.
        """
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

    def fold(self, run: Run, claims: Sequence[Claim], *, ordered: bool = False) -> Fold:
        """Return the beliefs that *claims* may affect, as a `Fold`; if *ordered*, also with the order of the turns."""
        with self._database.tenant(run.tenant) as connection:
            return affected_facts.fold_over(connection, run.scope, run.pack, claims, ordered=ordered)

    def past(self, run: Run, claims: Sequence[Claim]) -> Past | None:
        """Return the history to which *claims* of a retried run belong; None if the history has no later decisions."""
        with self._database.tenant(run.tenant) as connection:
            return late_arrivals.earlier_decisions(connection, run.scope, run.pack, claims)

    def newest(self, run: Run) -> datetime | None:
        """Return the latest time at which an episode before the run's window occurred."""
        with self._database.tenant(run.tenant) as connection:
            return late_arrivals.newest(connection, run.scope, run.before)

    def endings_since(self, run: Run, occurred: datetime) -> list[Since]:
        """Return the claims before the window that ended or corrected a belief, or that may still do so after a review.

        Only claims of episodes that occurred later than *occurred* are returned.
        """
        with self._database.tenant(run.tenant) as connection:
            return late_arrivals.endings_since(connection, run.scope, run.before, occurred)

    def source_claims(self, run: Run, facts: Collection[uuid.UUID]) -> list[Since]:
        """Return the claims of packs that made or confirmed *facts*."""
        with self._database.tenant(run.tenant) as connection:
            return late_arrivals.source_claims(connection, run.scope, facts)

    def turns_since(
        self, run: Run, occurred: datetime, words: Sequence[str]
    ) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        """Return the turns before the window that have one of *words* and occurred later than *occurred*.

        The second list has the last turns before each of these turns.
        """
        with self._database.tenant(run.tenant) as connection:
            turns = late_arrivals.turns_since(connection, run.scope, run.before, occurred, words)
            return turns, inbox.episodes_before(connection, run.scope, turns, chosen=True)

    def past_since(self, run: Run, claims: Sequence[Claim], since: Sequence[Since]) -> Past:
        """Return the history to which late *claims* belong: it begins just before the earliest claim in *since*."""
        with self._database.tenant(run.tenant) as connection:
            return late_arrivals.past_since(connection, run.scope, run.pack, claims, since)

    def settle(self, run: Run, plan: Plan) -> Counter[str]:
        """Write the plan, move the watermark and end the run, in one transaction; return the deltas by kind."""
        with self._database.tenant(run.tenant) as connection:
            return self._settled(connection, run, plan)

    def settle_and_claim(
        self, run: Run, plan: Plan, *, scope: uuid.UUID | None, **asked: Any
    ) -> tuple[Counter[str], Run | None]:
        """Do what `settle` does; return the deltas by kind, and the next run, which the same transaction claims.

        The next run is None if no work of the tenant is due, or if another tenant may wait for a turn. It is also None
        if the due work continues an earlier run, or belongs to a job of a slice or of the installation. Then call
        `claim`.
        """
        with self._database.tenant(run.tenant) as connection:
            counts = self._settled(connection, run, plan)
            alone = scope is not None or self._turns.alone
            return counts, self._claimed(connection, scope=scope, fresh=True, **asked) if alone else None

    def _settled(self, connection: Connection, run: Run, plan: Plan) -> Counter[str]:
        return settled(connection, run, plan, space=(self._space_name, self._dimensions))

    def traces(self, run: Run) -> list[str]:
        """Return the W3C traces in which the episodes of the run's window were pushed."""
        with self._database.tenant(run.tenant) as connection:
            return list(execute(connection, "runs/traces", scope=run.scope, lo=run.lo, hi=run.hi).scalars())

    def narrow(self, run: Run, error: str, *, wait_seconds: float = 0) -> None:
        """End the run; after *wait_seconds*, the next run takes the first half of the window."""
        with self._fenced(run) as connection:
            leases.narrow(connection, run, error, wait_seconds=wait_seconds)

    def bury(self, run: Run, *, category: str, reason: str) -> None:
        """Make the window's only episode a dead letter, and move the watermark past this episode."""
        with self._fenced(run) as connection:
            if run.job == CONSOLIDATE and pending_windows.end_crashing_chunk(connection, run, reason):
                return leases.finish(connection, run, "dead", error=reason)
            leases.ask_pass_window(connection, run)()
            if run.job == PLAN:
                pending_windows.planned(connection, run, edition="", requests=())
            dead_letters.bury_positions(connection, run, run.positions, category=category, reason=reason)
            audit.log_write(
                connection, "store", "semantic", scope=run.scope, run=run.run, error=reason, detail={"pack": run.pack}
            )
            leases.finish(connection, run, "dead", error=reason)

    def give_back(self, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
        """End the run without counting a failure. Its window is due again after *wait_seconds*."""
        with self._fenced(run) as connection:
            leases.give_back(connection, run, outcome, wait_seconds=wait_seconds, error=error)

    def put_off(self, run: Run, error: str, *, wait_seconds: float) -> None:
        """End a run that hit a fault of Slowwave's code; keep its window, and retry after *wait_seconds*."""
        with self._fenced(run) as connection:
            leases.put_off(connection, run, error, wait_seconds=wait_seconds)

    def fail(self, run: Run, error: str) -> None:
        """End a run that reads no episodes; the next firing tries again."""
        with self._fenced(run) as connection:
            leases.finish(connection, run, "failed", error=error)

    def strike(self, run: Run) -> int:
        """Count a crash or fault as a strike against the window's only episode; return the number of strikes."""
        with self._fenced(run) as connection:
            return leases.strike(connection, run)

    @contextmanager
    def _fenced(self, run: Run) -> Iterator[Connection]:
        with self._database.tenant(run.tenant) as connection:
            leases.fence(connection, run)
            yield connection


def _tenant(place: tuple[str, uuid.UUID, str, int, int]) -> str:
    return place[0]


def _upcoming(connection: Connection, place: Place, episodes: Sequence[StoredEpisode]) -> Upcoming:
    return Upcoming(place, inbox.episodes_before(connection, place[0], episodes, chosen=False), episodes)


def _window(connection: Connection, run: Run) -> list[StoredEpisode]:
    wanted = set(run.positions)
    found = inbox.window(connection, run.scope, run.lo, run.hi)
    return [episode for episode in found if episode.position in wanted]
