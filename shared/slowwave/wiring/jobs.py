"""Every job, composed: those that run rule packs, and those that belong to the installation; and the run protocol."""

from typing import TYPE_CHECKING

from slowwave.domain.run import (
    ARCHIVE,
    CHECK,
    CONSOLIDATE,
    DECAY,
    DETECT_PATTERNS,
    PARTITIONS,
    PREPARE,
    PROMOTE,
    RECONCILE,
    RETRY,
    SUMMARISE,
    SWEEP,
    WINDOWED,
    pack_of,
)
from slowwave.inference.summariser import ExtractiveSummariser
from slowwave.jobs.archive import Archive
from slowwave.jobs.check import Check
from slowwave.jobs.consolidate import Consolidate
from slowwave.jobs.decay import Decay
from slowwave.jobs.partitions import Partitions
from slowwave.jobs.patterns import DetectPatterns
from slowwave.jobs.prepare import Prepare
from slowwave.jobs.promote import Promote
from slowwave.jobs.reconcile import Reconcile
from slowwave.jobs.retry import Retry
from slowwave.jobs.summarise import Summarise
from slowwave.jobs.sweep import Sweep
from slowwave.ports import Extractor, Job
from slowwave.store.operator.check import PostgresChecks
from slowwave.store.patterns.records import PostgresNotes
from slowwave.store.patterns.summaries import PostgresSummaries
from slowwave.store.patterns.topics import PostgresTopics
from slowwave.store.promotion.promotions import PostgresProminence
from slowwave.store.retention.archive import PostgresArchive
from slowwave.store.retention.partitions import PostgresPartitions
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.tiers.decay import PostgresFading
from slowwave.store.tiers.sweep import PostgresSweeping

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts


def every_job(parts: "Parts") -> dict[str, Job]:
    """Return every job, by name, with the packs as they were last sound. A letter is retried by who owns its pack."""
    extractors: dict[str, Extractor] = {pack.pack: pack for pack in parts.watched.packs.values() or parts.packs}
    consolidate, found = Consolidate(extractors, parts.embedder), built_in(parts)
    owners = {pack_of(job): found[job] for job in WINDOWED if job in found}
    return {CONSOLIDATE: consolidate, RETRY: Retry(owners, consolidate), **found}


def run_protocol(parts: "Parts") -> PostgresRuns:
    """Return the run protocol with the windows of this process's settings."""
    window, prepare = parts.settings.window, parts.settings.prepare_window
    return PostgresRuns(
        parts.database,
        lease_seconds=parts.settings.lease_seconds,
        largest={**dict.fromkeys((*WINDOWED, RETRY), window), PREPARE: prepare},
        space=(parts.embedder.space, parts.embedder.dimensions),
    )


def built_in(parts: "Parts") -> dict[str, Job]:
    """Return the jobs of every installation, by name, on the parts of this process."""
    space = (parts.embedder.space, parts.embedder.dimensions)
    return {
        PREPARE: Prepare(parts.embedder, PostgresTopics(parts.database, parts.embedder.space)),
        DECAY: Decay(PostgresFading(parts.database)),
        SWEEP: Sweep(PostgresSweeping(parts.database, space=space), parts.embedder),
        SUMMARISE: Summarise(ExtractiveSummariser(), parts.embedder, PostgresSummaries(parts.database)),
        DETECT_PATTERNS: DetectPatterns(PostgresNotes(parts.database), parts.embedder),
        PROMOTE: Promote(PostgresProminence(parts.database), parts.lifecycle.policies),
        PARTITIONS: Partitions(PostgresPartitions(parts.database), parts.lifecycle.policies.audit_kept),
        ARCHIVE: Archive(PostgresArchive(parts.database)),
        CHECK: Check(checks(parts)),
        RECONCILE: Reconcile(parts.schedule),
    }


BUILT_IN = (PREPARE, DECAY, SWEEP, SUMMARISE, DETECT_PATTERNS, PROMOTE, PARTITIONS, ARCHIVE, CHECK, RECONCILE)
"""Their names. Who registers them need not make them."""


def checks(parts: "Parts") -> PostgresChecks:
    """Return what looks whether every promise holds."""
    return PostgresChecks(parts.database, jobs=BUILT_IN)
