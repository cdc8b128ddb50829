"""Settings in, parts out: the one composition root, and the only reader of settings."""

import hashlib
import os
import socket
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from slowwave.domain.run import CONSOLIDATE, PREPARE, RETRY
from slowwave.errors import Incorrect
from slowwave.inference.embedder import StaticEmbedder
from slowwave.jobs.consolidate import Consolidate
from slowwave.jobs.prepare import Prepare
from slowwave.jobs.run import Report, work
from slowwave.ports import Embedder, Extractor, Job
from slowwave.rules import Pack, default_roots, find_pack_folders, load_pack
from slowwave.settings import Settings, secret
from slowwave.store import registry
from slowwave.store.database import Database, engine
from slowwave.store.migrate import migrate
from slowwave.store.runs import PostgresRuns

PREPARE_PACK = "_prepare"


@dataclass(frozen=True)
class Parts:
    """The parts of one process, each made when first needed."""

    settings: Settings
    url: str

    @cached_property
    def database(self) -> Database:
        """The way into Postgres."""
        return Database(self.url)

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
        return PostgresRuns(
            self.database,
            lease_seconds=self.settings.lease_seconds,
            largest={
                CONSOLIDATE: self.settings.window,
                RETRY: self.settings.window,
                PREPARE: self.settings.prepare_window,
            },
            space=(self.embedder.space, self.embedder.dimensions),
        )

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """Every job, by name."""
        extractors: dict[str, Extractor] = {pack.pack: pack for pack in self.packs}
        consolidate = Consolidate(extractors, self.embedder)
        return {CONSOLIDATE: consolidate, RETRY: consolidate, PREPARE: Prepare(self.embedder)}

    def work(
        self,
        *,
        owner: str,
        scope: uuid.UUID | None = None,
        only: Sequence[str] | None = None,
        overdue_seconds: float = 0,
    ) -> Report | None:
        """Do the next run that is due, if there is one."""
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

    def register(self) -> None:
        """Make the database run the packs and schedules that are installed here."""
        packs, schedules = entries(self.packs)
        with self.database.dispatch() as connection:
            registry.register(connection, packs, schedules)


def load_packs(settings: Settings) -> list[Pack]:
    """Return the rule packs of SLOWWAVE_RULES, the checkout and the wheel, the first of a name wins."""
    roots: list[Path] = [settings.rules] if settings.rules else []
    return [load_pack(folder) for folder in find_pack_folders([*roots, *default_roots()])]


def entries(packs: Sequence[Pack]) -> tuple[list[registry.PackEntry], list[registry.ScheduleEntry]]:
    """Return what to register for *packs*, and for the preparing of episodes, which belongs to every installation."""
    found = [registry.PackEntry(PREPARE_PACK, PREPARE, 1, hashlib.sha256(b"prepare").digest())]
    schedules: list[registry.ScheduleEntry] = []
    for pack in packs:
        found.append(registry.PackEntry(pack.pack, CONSOLIDATE, pack.version, bytes.fromhex(pack.digest)))
        cadence = pack.cadence
        about = {"job": CONSOLIDATE, "pack": pack.pack}
        if cadence.every is not None:
            schedules.append(
                registry.ScheduleEntry(f"{pack.pack}/count", kind="count", every=cadence.every, **about)
            )
        if cadence.max_age is not None:
            seconds = cadence.max_age.total_seconds()
            schedules.append(registry.ScheduleEntry(f"{pack.pack}/age", kind="age", seconds=seconds, **about))
        if cadence.cron is not None:
            schedules.append(
                registry.ScheduleEntry(
                    f"{pack.pack}/cron", kind="cron", cron=cadence.cron, zone=cadence.tz, missed=cadence.missed, **about
                )
            )
        if cadence.interval is not None:
            seconds = cadence.interval.total_seconds()
            schedules.append(
                registry.ScheduleEntry(
                    f"{pack.pack}/interval", kind="interval", seconds=seconds, missed=cadence.missed, **about
                )
            )
    return found, schedules


def migrate_database(owner_url: str) -> None:
    """Bring the schema up to date. *owner_url* connects as slowwave_owner."""
    owner = engine(owner_url, pool_size=1)
    try:
        migrate(owner)
    finally:
        owner.dispose()


def connect(settings: Settings) -> Parts:
    """Return the parts of a process that reaches the Postgres the settings name."""
    url = secret(settings.url)
    if url is None:
        raise Incorrect("SLOWWAVE_URL is not set", hint="start the embedded services with `slowwave up`")
    return Parts(settings, url)


def owner_name(role: str) -> str:
    """Return the name under which this process holds leases: its role, host and process id."""
    return f"{role}@{socket.gethostname()}:{os.getpid()}"
