"""Every job that belongs to the installation rather than to a rule pack: what does it, and when it is due."""

from typing import TYPE_CHECKING

from slowwave.domain.run import (
    ARCHIVE,
    CHECK,
    DECAY,
    DETECT_PATTERNS,
    PARTITIONS,
    PREPARE,
    PROMOTE,
    RECONCILE,
    SUMMARISE,
    SWEEP,
)
from slowwave.inference.summariser import ExtractiveSummariser
from slowwave.jobs.archive import Archive
from slowwave.jobs.check import Check
from slowwave.jobs.decay import Decay
from slowwave.jobs.partitions import Partitions
from slowwave.jobs.patterns import DetectPatterns
from slowwave.jobs.prepare import Prepare
from slowwave.jobs.promote import Promote
from slowwave.jobs.reconcile import Reconcile
from slowwave.jobs.summarise import Summarise
from slowwave.jobs.sweep import Sweep
from slowwave.ports import Job
from slowwave.store.archive import PostgresArchive
from slowwave.store.check import PostgresChecks
from slowwave.store.decay import PostgresFading
from slowwave.store.partitions import PostgresPartitions
from slowwave.store.patterns import PostgresNotes
from slowwave.store.promotions import PostgresProminence
from slowwave.store.summaries import PostgresSummaries
from slowwave.store.sweep import PostgresSweeping
from slowwave.store.topics import PostgresTopics

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts


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
