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
from slowwave.ports import Job
from slowwave.store.archive import PostgresArchive
from slowwave.store.check import PostgresChecks
from slowwave.store.decay import PostgresFading
from slowwave.store.partitions import PostgresPartitions
from slowwave.store.patterns import PostgresNotes
from slowwave.store.promotions import PostgresProminence
from slowwave.store.summaries import PostgresSummaries
from slowwave.store.topics import PostgresTopics

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts


def built_in(parts: "Parts") -> dict[str, Job]:
    """Return the jobs of every installation, by name, on the parts of this process."""
    return {
        PREPARE: Prepare(parts.embedder, PostgresTopics(parts.database, parts.embedder.space)),
        SUMMARISE: Summarise(ExtractiveSummariser(), parts.embedder, PostgresSummaries(parts.database)),
        DECAY: Decay(PostgresFading(parts.database)),
        DETECT_PATTERNS: DetectPatterns(PostgresNotes(parts.database), parts.embedder),
        PROMOTE: Promote(PostgresProminence(parts.database), parts.lifecycle.policies),
        PARTITIONS: Partitions(PostgresPartitions(parts.database), parts.lifecycle.policies.audit_kept),
        ARCHIVE: Archive(PostgresArchive(parts.database)),
        CHECK: Check(checks(parts)),
        RECONCILE: Reconcile(parts.schedule),
    }


BUILT_IN = (PREPARE, SUMMARISE, DECAY, DETECT_PATTERNS, PROMOTE, PARTITIONS, ARCHIVE, CHECK, RECONCILE)
"""Their names. Who registers them need not make them."""


def checks(parts: "Parts") -> PostgresChecks:
    """Return what looks whether every promise holds."""
    return PostgresChecks(parts.database, jobs=BUILT_IN)
