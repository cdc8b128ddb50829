"""The parts of one process, each made at its first use. `slowwave.memory` uses these parts.

A part's module is imported when the part is made, because most processes need few parts.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from slowwave.domain.episode import Item
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import PLAIN_IDS, Scope, use_namespace
from slowwave.runtime.id_key import IdKey
from slowwave.settings import Settings, secret
from slowwave.store.audit.log import Auditing
from slowwave.store.database import Database
from slowwave.store.encryption.cipher import MasterKeys
from slowwave.store.encryption.tenant_keys import TenantKeys
from slowwave.wiring.background_work import ModelRequestParts
from slowwave.wiring.model_components import InSpaces, Shared

if TYPE_CHECKING:
    from slowwave.broker.queue import WorkerNotifier
    from slowwave.core.predicates import Predicates
    from slowwave.embedded_services import EmbeddedServices
    from slowwave.jobs.model_calls.ask import RequestSender
    from slowwave.jobs.run import Job
    from slowwave.jobs.spool import Spooler
    from slowwave.outbox import Outbox
    from slowwave.ports import Embedder
    from slowwave.ports.model_calls import Provider
    from slowwave.ports.recall import Nearness
    from slowwave.rules import Pack
    from slowwave.rules.hot_reload import ReloadedRules
    from slowwave.rules.languages import Unread
    from slowwave.rules.lifecycle import Lifecycle
    from slowwave.rules.model_packs.pack import ReaderPack
    from slowwave.store.access.quotas import Quotas
    from slowwave.store.access.rate_limit import KeyAuthentication
    from slowwave.store.inbox.inbox import Beside, PostgresInbox
    from slowwave.store.model_calls.call_queue import PostgresCallQueue
    from slowwave.store.model_requests import PostgresModelRequests
    from slowwave.store.night_report import PostgresNightReports
    from slowwave.store.operator.queries import PostgresQueries
    from slowwave.store.request_batches import PostgresBatches
    from slowwave.store.runs.runs import PostgresRuns
    from slowwave.store.schedule.schedule import PostgresSchedule
    from slowwave.wiring.cache import OpenCache
    from slowwave.wiring.capture import Capture
    from slowwave.wiring.cells import Cells
    from slowwave.wiring.packs import ModelPack

Push = Callable[[Scope, Sequence[Item]], list[Receipt]]


@dataclass(frozen=True)
class Parts(ModelRequestParts, InSpaces):
    """All parts of one process, as properties that are made on first use."""

    settings: Settings
    url: str
    broker_url: str | None = None
    services: EmbeddedServices | None = None
    cells: Cells[Parts] | None = None
    cell: str = ""

    def of(self, tenant: str) -> Parts:
        """Return the parts of the cell of *tenant*; without cells, these parts."""
        return self if self.cells is None else self.cells.of(tenant)

    def each_cell(self) -> Mapping[str, Parts]:
        """Return the parts of every cell, by the cell's name; without cells, these parts under an empty name."""
        return {"": self} if self.cells is None else self.cells.each()

    def __post_init__(self) -> None:
        super().__post_init__()
        use_namespace(self.id_key.namespace if self.id_key else PLAIN_IDS)

    @cached_property
    def id_key(self) -> IdKey | None:
        """The id key; None if ids are made without a key. Raises `Incorrect` for a malformed key."""
        return IdKey(key) if (key := secret(self.settings.id_key)) else None

    @cached_property
    def database(self) -> Database:
        """The connections to Postgres."""
        in_force = {name: getattr(self.settings, name) for name in ("lease_seconds", "window", "prepare_window")}
        auditing = Auditing(self.settings.audit, in_force)
        return Database(
            self.url, pool_size=self.settings.pool_size, auditing=auditing,
            policy_of=lambda tenant: self.lifecycle.policies.of(tenant),
            keys=TenantKeys(MasterKeys(keys) if (keys := secret(self.settings.encryption_keys)) else None),
            id_key=self.id_key, read_url=secret(self.settings.read_url),
            read_stale_seconds=self.settings.read_stale_seconds, pooler=self.settings.pooler,
            registry=lambda: self.registry if {"packs", "registry"} & vars(self).keys() else self.predicates,
            cell=self.cell or None, cells=self.cells,
        )  # fmt: skip

    @property
    def nearness(self) -> Nearness:
        """The finder of words that mean nearly the same."""
        from slowwave.inference.word_similarity import shipped

        return shipped()

    @Shared
    def packs(self) -> Sequence[Pack]:
        """Every rule pack, sorted by name. Raises `Incorrect` with the problems of all packs."""
        from slowwave.wiring.packs import load_packs

        return load_packs(self.settings)

    @cached_property
    def models(self) -> Mapping[str, ModelPack]:
        """Every pack that needs a model, by name; empty if no model is set."""
        return self._readers

    @cached_property
    def provider(self) -> Provider | None:
        """The provider of the model with which packs read; None if this process sends no requests."""
        from slowwave.wiring.model_client import provider_of

        return provider_of(self.settings, self.lifecycle.extraction_model)

    @cached_property
    def asker(self) -> RequestSender | None:
        """The sender of pending model requests; None without a provider."""
        from slowwave.wiring.model_client import request_sender

        return request_sender(self.database, self.settings, self.provider, self.asking) if self.provider else None

    @cached_property
    def clerk(self) -> RequestSender:
        """The importer of replies from elsewhere, such as batch files."""
        from slowwave.wiring.model_client import NoLocalProvider, request_sender

        return request_sender(self.database, self.settings, NoLocalProvider(), self.asking)

    @cached_property
    def calls(self) -> PostgresCallQueue:
        """The store of model calls whose replies come from elsewhere, such as batch files."""
        from slowwave.store.model_calls.call_queue import PostgresCallQueue
        from slowwave.store.request_batches import FILE
        from slowwave.wiring.model_client import terms_of

        return PostgresCallQueue(self.database, terms_of(self.settings, FILE))

    @cached_property
    def batches(self) -> PostgresBatches:
        """The batches of requests that are exported to files."""
        from slowwave.store.request_batches import FILE, PostgresBatches
        from slowwave.wiring.model_client import terms_of

        return PostgresBatches(self.database, terms_of(self.settings, FILE))

    @cached_property
    def model_requests(self) -> PostgresModelRequests:
        """The model request queue, as planning and consolidating runs use it."""
        from slowwave.store.model_requests import PostgresModelRequests

        return PostgresModelRequests(self.database)

    @cached_property
    def watched(self) -> ReloadedRules:
        """The present packs and policies, for a process that runs while somebody edits the files."""
        from slowwave.rules.hot_reload import ReloadedRules
        from slowwave.wiring.packs import reading_model, refused_changes

        return ReloadedRules(
            self.settings.rules, self.settings.preset, statements=self.settings.statements,
            refused=partial(refused_changes, self.database), model=partial(reading_model, self.settings),
        )  # fmt: skip

    @property
    def lifecycle(self) -> Lifecycle:
        """The last valid policies of memories and jobs. Raises `Incorrect` if no version was ever valid."""
        watched = vars(self).get("watched")  # the first valid version needs no rule engine
        return (watched and watched.lifecycle) or self._lifecycle

    @cached_property
    def runs(self) -> PostgresRuns:
        """The run protocol."""
        from slowwave.wiring.jobs import run_protocol

        return run_protocol(self.database, self.settings, self.embedder, self._made_by)

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Every job, by name, with the last valid packs. Raises `Incorrect` if the packs cannot be registered."""
        from slowwave.wiring.jobs import built_in, every_job
        from slowwave.wiring.model_components import in_their_spaces, summariser_of
        from slowwave.wiring.packs import refuse_changes

        packs, canaries = self.watched.packs.values() or self.packs, self.canaries
        refuse_changes(self.database, [*packs, *self.models.values()], canaries)

        def made(embedder: Embedder) -> dict[str, Job]:
            own = built_in(
                self.database, embedder, summariser_of(self.settings.summariser), self.model_summariser, self.judge,
                self.schedule, self.lifecycle.policies, self.registry, self.settings.reports,
            )  # fmt: skip
            return every_job(packs, embedder, own, self.models, self.model_requests, self.ahead, canaries)

        return in_their_spaces(made, self.embedder, self.earlier, self.spaces)

    @property
    def unread(self) -> Unread:
        """The finder of turns in languages that no pack in force reads."""
        from slowwave.wiring.packs import unread_by

        return unread_by(self.watched.packs.values() or self.packs, list(self.models.values()))

    @cached_property
    def predicates(self) -> Predicates:
        """The predicates of all packs, for manual facts and questions. The packs are not loaded for this."""
        from slowwave.wiring.packs import known_predicates

        return known_predicates(self.settings)

    def current_jobs(self) -> dict[str, Job]:
        """Return the jobs. If a pack or a policy was edited, the jobs are made again."""
        self.glance()
        return self.jobs

    def glance(self, *, at_once: bool = False) -> None:
        """Reload edited packs and policies, *at_once* or if the pause since the last check is over."""
        if self.watched.glance(at_once=at_once):
            self.take_up()

    def take_up(self) -> None:
        """Make the parts that depend on packs and policies again, from the last valid versions of these files."""
        parts, outdated = vars(self), ["jobs", "registry"]
        if "_readers" in parts and self.watched.models != self._readers:
            parts.update(_readers=self.watched.models, models=self.watched.models)
            outdated += ["provider", "asker", "clerk"]
        for name in outdated:
            parts.pop(name, None)

    @cached_property
    def schedule(self) -> PostgresSchedule:
        """The schedule."""
        from slowwave.store.schedule.schedule import PostgresSchedule

        return PostgresSchedule(
            self.database, lease_seconds=self.settings.lease_seconds, policies=lambda: self.lifecycle.policies
        )

    @cached_property
    def inbox(self) -> PostgresInbox:
        """The inbox of episodes, a durable queue."""
        from slowwave.store.inbox.inbox import PostgresInbox
        from slowwave.store.memory_state import entries

        return PostgresInbox(self.database, entries.put_captured, masking=self.masking, quotas=self.quotas)

    @cached_property
    def bell(self) -> WorkerNotifier | None:
        """The notifier that wakes workers; None without a broker, because then workers find work by polling."""
        if self.broker_url is None:
            return None
        from slowwave.broker import queue  # importing redis takes time, and not every agent needs it

        queue.configure(self.broker_url)
        return queue.WorkerNotifier(self.cell)

    @cached_property
    def store(self) -> Push:
        """The function that stores episodes and wakes workers; `slowwave.jobs.ingest` has details."""
        from slowwave.jobs.ingest import push

        return partial(push, self.inbox, self._ring, masking=self.masking)

    def storing(self, beside: Beside) -> Push:
        """Return `store` with a call of *beside* in the same transaction. The outbox is never used."""
        from slowwave.jobs.ingest import push
        from slowwave.store.inbox.inbox import PostgresInbox

        return partial(push, PostgresInbox(self.database, beside, quotas=self.quotas), self._ring, masking=self.masking)

    @Shared
    def outbox(self) -> Outbox | None:
        """The outbox, which keeps episodes while Postgres is unreachable; None if no outbox is configured."""
        from slowwave.outbox import Outbox

        return Outbox(path, most_bytes=self.settings.outbox_bytes) if (path := self.settings.outbox) else None

    @Shared
    def spooler(self) -> Spooler | None:
        """The spooler, which pushes through the outbox and empties the outbox."""
        from slowwave.jobs.spool import Spooler

        if self.outbox is None:
            return None
        return Spooler(
            lambda scope, items: self.of(scope.tenant).store(scope, items), self.outbox, masking=self.masking
        )

    @cached_property
    def push(self) -> Push:
        """The function that stores episodes, or puts them in the outbox while Postgres is unreachable."""
        return self.store if self.spooler is None else self.spooler.push

    @cached_property
    def push_once(self) -> Push:
        """`push` for callers that may repeat items without keys: no item is then stored twice."""
        from slowwave.jobs.ingest import push

        if self.spooler is not None:
            return self.spooler.push  # the outbox repeats with the same keys
        return partial(push, self.inbox, self._ring, masking=self.masking, once=True)

    @cached_property
    def cache(self) -> OpenCache:
        """The cache of working memory. Raises `Unavailable` if there is no cache."""
        from slowwave.wiring.cache import open_cache

        return open_cache(
            self.settings, start=self.services is not None,
            noted=lambda scope, there: self.tally.cached(scope.tenant, hit=there),
        )  # fmt: skip

    @cached_property
    def capture(self) -> Capture:
        """The capture of tool calls in this process."""
        from slowwave.wiring.capture import capture

        return capture(self.settings)

    @cached_property
    def gate(self) -> KeyAuthentication:
        """The authentication of callers by their keys."""
        from slowwave.store.access.rate_limit import KeyAuthentication

        return KeyAuthentication(self.database, self.settings.api_rate, self.settings.api_burst)

    @cached_property
    def quotas(self) -> Quotas:
        """The quotas of tenants, and the room in the database."""
        from slowwave.store.access.database_size import Room
        from slowwave.store.access.quotas import Quotas

        folder = (
            self.settings.home if self.settings.embedded else None
        )  # only the disk of an embedded Postgres is known
        return Quotas(self.database, Room(self.settings.database_bytes, folder, self.settings.free_bytes))

    @cached_property
    def records(self) -> PostgresQueries:
        """The queries of operators about a tenant."""
        from slowwave.store.operator.queries import PostgresQueries

        return PostgresQueries(self.database)

    @cached_property
    def nights(self) -> PostgresNightReports:
        """The night reports of tenants."""
        from slowwave.store.night_report import PostgresNightReports

        return PostgresNightReports(self.database)

    def close(self) -> None:
        """Send pending wake-ups, close connections, and stop services that this process started."""
        if self.cells is not None:
            self.cells.close_others(self)
        for name in ("ahead", "followers", "anticipation", "spooler", "outbox", "bell", "cache", "tally", "accesses"):
            if (part := vars(self).get(name)) is not None:
                part.close()
        self.database.close()  # even if unused, so that later callers get an error that names the cause
        if self.services is not None:
            self.services.stop()

    @Shared
    def _readers(self) -> Mapping[str, ReaderPack]:
        """The packs behind `models`. An edit of a pack reloads these packs, unless other packs were passed in."""
        from slowwave.wiring.model_client import model_of
        from slowwave.wiring.packs import load_readers

        return load_readers(self.settings, model_of(self.settings, self.lifecycle.extraction_model))

    @Shared
    def _lifecycle(self) -> Lifecycle:
        from slowwave.rules.lifecycle import choose_lifecycle

        return choose_lifecycle(self.settings.preset, self.settings.rules)

    def _made_by(self, pack: str) -> str:
        packs = self.watched.packs or {each.pack: each for each in self.packs}
        return packs[pack].made_by if pack in packs else ""

    def _ring(self, scope: uuid.UUID, job: str) -> None:
        if self.bell is not None:
            self.bell.ring(scope, job)
