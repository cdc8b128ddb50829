"""The parts of one process, each made when first needed, and what a face asks of them."""

import contextlib
import os
import socket
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slowwave.core.ledger import Belief
from slowwave.core.policy import Policy
from slowwave.core.watchdog import Progress
from slowwave.domain.delta import MemoryDelta
from slowwave.domain.episode import Item
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.stats import Stats
from slowwave.errors import Unavailable
from slowwave.inference.embedder import StaticEmbedder
from slowwave.jobs.ingest import ingest
from slowwave.jobs.push import push
from slowwave.jobs.run import Report, work
from slowwave.jobs.spool import Spooler
from slowwave.jobs.tick import Tick, tick
from slowwave.outbox import Outbox
from slowwave.ports import Embedder, Job
from slowwave.rules import Pack
from slowwave.rules.lifecycle import Lifecycle, choose_lifecycle
from slowwave.rules.policies import CADENCES, find_policy, load_cadences
from slowwave.rules.watched import WatchedRules
from slowwave.settings import Settings
from slowwave.store.audit.log import Auditing
from slowwave.store.beliefs import reading
from slowwave.store.beliefs.by_hand import apply_delta
from slowwave.store.claims import intents, processes
from slowwave.store.database import Database
from slowwave.store.inbox.inbox import PostgresInbox
from slowwave.store.migrate import require_current
from slowwave.store.operator.queries import PostgresRecords
from slowwave.store.operator.tally import Tally
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.schedule.schedule import PostgresSchedule
from slowwave.store.standing.accesses import Accesses
from slowwave.wiring.answering import answer, count
from slowwave.wiring.jobs import BUILT_IN, every_job, run_protocol
from slowwave.wiring.packs import entries, install, load_packs
from slowwave.wiring.working import OpenCache, open_cache

if TYPE_CHECKING:
    from slowwave.embedded import EmbeddedServices
    from slowwave.queue import Bell


def owner_name(role: str) -> str:
    """Return the name under which this process holds leases: its role, host and process id."""
    return f"{role}@{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True)
class Parts:
    """The parts of one process, each made when first needed."""

    settings: Settings
    url: str
    broker_url: str | None = None
    services: "EmbeddedServices | None" = None

    @cached_property
    def database(self) -> Database:
        """The way into Postgres."""
        in_force = {name: getattr(self.settings, name) for name in ("lease_seconds", "window", "prepare_window")}
        auditing = Auditing(self.settings.audit, in_force)
        return Database(self.url, auditing=auditing, policy_of=self._policy_of)

    def _policy_of(self, tenant: str) -> Policy:
        return self.lifecycle.policies.of(tenant)

    @cached_property
    def embedder(self) -> Embedder:
        """Text to vectors."""
        return StaticEmbedder()

    @cached_property
    def packs(self) -> Sequence[Pack]:
        """Every rule pack there is, by name. Raises `Incorrect` listing what is wrong with any of them."""
        return load_packs(self.settings)

    @cached_property
    def runs(self) -> PostgresRuns:
        """The run protocol."""
        return run_protocol(self)

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Every job, by name, with the packs as they were last sound."""
        return every_job(self)

    def work(
        self,
        *,
        owner: str,
        scope: uuid.UUID | None = None,
        only: Sequence[str] | None = None,
        overdue_seconds: float = 0,
    ) -> Report | None:
        """Do the next run that is due, if there is one, by the rules as they are now."""
        if self.watched.glance():
            vars(self).pop("jobs", None)
        return work(
            self.runs,
            self.jobs,
            owner=owner,
            beat_seconds=self.settings.beat_seconds,
            soft_limit_seconds=self.settings.soft_limit_seconds,
            scope=scope,
            only=only,
            overdue_seconds=overdue_seconds,
        )

    @cached_property
    def inbox(self) -> PostgresInbox:
        """The durable queue."""
        return PostgresInbox(self.database)

    @cached_property
    def bell(self) -> "Bell | None":
        """What wakes workers; None without a broker, when polling alone finds the work."""
        if self.broker_url is None:
            return None
        from slowwave import queue  # Celery takes a second to import, and an agent without a broker needs none of it

        queue.configure(self.broker_url)
        return queue.Bell()

    @cached_property
    def cache(self) -> OpenCache:
        """What working memory is kept in. Raises `Unavailable` where there is none."""
        return open_cache(self)

    @cached_property
    def outbox(self) -> Outbox | None:
        """What keeps episodes while Postgres is away; None where none is configured."""
        path = self.settings.outbox
        return None if path is None else Outbox(path, most_bytes=self.settings.outbox_bytes)

    @cached_property
    def spooler(self) -> Spooler | None:
        """What pushes through the outbox, and empties it."""
        return None if self.outbox is None else Spooler(self.store, self.outbox)

    def push(self, scope: Scope, items: Sequence[Item]) -> list[Receipt]:
        """Store episodes and ring, or keep them in the outbox while Postgres is away."""
        return self.store(scope, items) if self.spooler is None else self.spooler.push(scope, items)

    def store(self, scope: Scope, items: Sequence[Item]) -> list[Receipt]:
        """Store episodes and ring; see `slowwave.jobs.push`."""
        return push(self.inbox, self._ring, scope, items)

    def ingest(self, message: Mapping[str, Any], *, id_: str) -> list[Receipt]:
        """Store what came through the broker; see `slowwave.jobs.ingest`. Never by way of an outbox."""
        return ingest(self.store, self.inbox, self._confirm, message, id_=id_)

    def _confirm(self, client: str, settled: Sequence[tuple[uuid.UUID, str | None]]) -> None:
        if self.broker_url is not None:
            from slowwave import queue

            with contextlib.suppress(Unavailable):  # who hears nothing sends again, and hears it then
                queue.confirm(self.broker_url, client, settled)

    def _ring(self, scope: uuid.UUID, job: str) -> None:
        if self.bell is not None:
            self.bell.ring(scope, job)

    def apply(self, scope: Scope, delta: MemoryDelta | dict[str, Any]) -> uuid.UUID:
        """Apply one typed delta by hand; see `slowwave.store.beliefs.by_hand`."""
        with self.database.tenant(scope.tenant) as connection:
            return apply_delta(connection, scope, delta, self.embedder)

    def rebuilt(self, scope: Scope) -> tuple[set[Belief], set[Belief]]:
        """Return what a scope's ledger folds to and what its fact table holds; see `slowwave.store.beliefs.reading`."""
        with self.database.tenant(scope.tenant) as connection:
            return reading.rebuilt(connection, scope.id)

    def recall(
        self, scope: Scope, question: str, *, limit: int, now: datetime | None, archived: bool = False
    ) -> list[Recollection]:
        """Answer a question; see `slowwave.retrieval.recall`."""
        return answer(self, scope, question, limit=limit, now=now, archived=archived)

    def stats(self, tenant: str, *, hours: int) -> Stats:
        """Return the statistics of *tenant*; see `slowwave.wiring.answering`."""
        return count(self, tenant, hours=hours)

    @cached_property
    def tally(self) -> Tally:
        """What is counted for the statistics."""
        return Tally(self.database)

    @cached_property
    def accesses(self) -> Accesses:
        """What was returned to callers."""
        return Accesses(self.database)

    @cached_property
    def records(self) -> PostgresRecords:
        """What an operator asks about a tenant."""
        return PostgresRecords(self.database)

    def due(self, scope: uuid.UUID | None = None) -> bool:
        """Return whether any work is due or under way, in one scope or at all."""
        with self.database.dispatch() as connection:
            return intents.any_due(connection, scope)

    def runnable_jobs(self, scope: uuid.UUID) -> list[str]:
        """Return the jobs that are due in a scope nobody is working on."""
        with self.database.dispatch() as connection:
            return intents.runnable_jobs(connection, scope)

    def fire(self, scope: uuid.UUID | None = None) -> None:
        """Write manual firings for one scope, or for every scope with work."""
        self.schedule.fire_manually(by=owner_name("manual"), scopes=None if scope is None else [scope])

    def require_schema(self) -> None:
        """Raise `Incorrect` when the database lacks revisions of the schema."""
        with self.database.dispatch() as connection:
            require_current(connection)

    def sign(self, process: str, role: str) -> None:
        """Write down that a process is at work now."""
        with self.database.dispatch() as connection:
            processes.sign(connection, process, role)

    def progress(self, *, worker: str, runs: str) -> Progress:
        """Return what a worker and the scheduler have to show; see `slowwave.store.claims.processes`."""
        with self.database.dispatch() as connection:
            return processes.read(connection, worker=worker, runs=runs)

    def close(self) -> None:
        """Ring what is to be rung, close connections, end services that were started here."""
        for name in ("spooler", "outbox", "bell", "cache", "tally", "accesses", "database"):
            if (part := vars(self).get(name)) is not None:
                part.close()
        if self.services is not None:
            self.services.stop()

    def register(self) -> None:
        """Make the database run the packs and schedules that are installed here."""
        cadences = load_cadences(find_policy(CADENCES, self.settings.rules), [pack.pack for pack in self.packs])
        entered = entries(self.packs, cadences, BUILT_IN, self.lifecycle)
        install(self.database, entered, self.lifecycle.policies)

    @cached_property
    def schedule(self) -> PostgresSchedule:
        """When work comes due."""
        return PostgresSchedule(
            self.database, lease_seconds=self.settings.lease_seconds, policies=lambda: self.lifecycle.policies
        )

    def tick(self, *, by: str) -> Tick:
        """Fire what is due; see `slowwave.jobs.tick`."""
        return tick(self.schedule, by=by, tick_seconds=self.settings.tick_seconds)

    @cached_property
    def watched(self) -> WatchedRules:
        """The packs and policies as they are now, for a process that runs while they are edited."""
        return WatchedRules(self.settings.rules, self.settings.preset)

    @property
    def lifecycle(self) -> Lifecycle:
        """By which policies memories live and jobs run, as it was last sound. Raises `Incorrect` if it never was."""
        return self.watched.lifecycle or self._lifecycle

    @cached_property
    def _lifecycle(self) -> Lifecycle:
        return choose_lifecycle(self.settings.preset, self.settings.rules)

    def register_watched(self) -> None:
        """Make the database run what the files say; a pack that was never sound here stays as it was registered."""
        packs, schedules = entries(self.watched.packs.values(), self.watched.cadences, BUILT_IN, self.lifecycle)
        kept, kept_schedules = self.schedule.registered(self.watched.unread)
        install(self.database, ([*packs, *kept], [*schedules, *kept_schedules]), self.lifecycle.policies)
