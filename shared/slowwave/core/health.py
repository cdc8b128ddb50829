"""The health of an installation: the test for a stalled process, and the invariants."""

from dataclasses import dataclass

BOOT_SECONDS = 60.0
"""The longest time from a process's start to its first sign of life, on a slow and busy machine."""
REPORT = "please report this"


@dataclass(frozen=True, slots=True)
class Progress:
    """The latest activity of the worker and the scheduler, as Postgres records it.

    Ages are in seconds by the database's clock. None means never.
    """

    worker_seen: float | None
    """The age of the worker's last answer, or of the last start or end of its runs."""
    working: int
    """The number of the worker's runs with a valid lease."""
    ticked: float | None
    """The age of the last completed scheduler tick."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The state of one process, as the process's watchdog sees it.

    *seen* is the age of the last sign of life, by the database's clock. *waited* is the time, by the watchdog's own
    clock, for which the watchdog has waited for the next sign of life. *waited* is None if no sign can be expected, for
    example from a worker whose broker takes no messages. There are two clocks, because a suspended machine stops only
    one of them.
    """

    seen: float | None
    waited: float | None
    up: float
    busy: bool = False

    @property
    def answered(self) -> bool:
        """True once the expected sign of life has come."""
        return self.seen is not None and self.waited is not None and self.seen < self.waited

    @property
    def ready(self) -> bool:
        """True once the process has shown a sign of life since its start."""
        return self.seen is not None and self.seen < self.up


def hangs(process: Watched, *, stall_seconds: float) -> bool:
    """Return whether a process should make progress but does not.

    A worker in a long run renews its lease; such a worker is busy and does not hang.

    >>> hangs(Watched(seen=31, waited=31, up=900), stall_seconds=30)
    True
    """
    if process.busy or process.waited is None:
        return False
    allowed = stall_seconds if process.ready else max(stall_seconds, BOOT_SECONDS)
    silent = process.up if process.seen is None else min(process.seen, process.up)
    return min(silent, process.waited) >= allowed


@dataclass(frozen=True, slots=True)
class Invariant:
    """An invariant by name; *remedy* says what to do if it is broken."""

    name: str
    remedy: str


REBUILT = Invariant(
    "fold-differs", "the facts differ from the fold of the ledger: restore them from a backup, report this"
)
"""The invariants that are checked by folding the ledger again, and not by an SQL statement."""
SEALED = Invariant(
    "seal-broken", "the ledger was changed after it was sealed: restore it from a backup, find out who may write to it"
)
"""The invariants that are checked by sealing the ledger again, together with the fold."""
KEPT = Invariant(
    "episode-changed",
    "an episode was changed after it was pushed: restore it from a backup, find out who may write to it",
)
"""The invariants that are checked by computing the digests of episodes again, together with the ledger."""
PROJECTED = Invariant("graph-differs", "the graph differs from the facts: run `slowwave graph rebuild`")
"""The invariants that are checked by building the graph again, together with the ledger."""
GROWN = Invariant("tree-differs", "the tree differs from the summaries: run `slowwave tree grow`")
"""The invariants that are checked by growing the summary tree again, together with the ledger."""

OF_A_TENANT = (
    Invariant("fact-without-source", REPORT),
    Invariant("fact-without-delta", REPORT),
    Invariant("two-live-versions", REPORT),
    Invariant("source-orphaned", REPORT),
    Invariant("origin-orphaned", REPORT),
    Invariant("promotion-orphaned", REPORT),
    Invariant("position-gap", "episodes are lost or duplicated: compare with a backup, report this"),
    Invariant("episode-lost", "compare with a backup: what was acknowledged must be there; report this"),
    Invariant("vector-mismatched", "similarity search does not find this memory: delete the vector, report this"),
    Invariant("vector-orphaned", "the vector may be deleted; report this"),
    Invariant("standing-orphaned", "the standing may be deleted; report this"),
    Invariant(
        "buried-together",
        "something failed here: once it is fixed, run `slowwave dead-letters retry --all --reason TEXT`",
    ),
    Invariant("erasure-unfinished", "repeat the request, which finishes it; `slowwave forget --list` shows which"),
    Invariant("scope-orphaned", "these rows belong to the wrong owner: inspect them as a superuser, report this"),
)
"""The invariants of one tenant. A role that sees only one tenant sees a reference to another tenant as a missing
row."""

OF_THE_INSTALLATION = (
    Invariant("scope-incomplete", "the scope's work has stopped: run `slowwave db migrate`, report this"),
    Invariant("watermark-wrong", REPORT),
    Invariant("work-forgotten", "the job reconcile requests it within the hour, `slowwave schedule run-now` at once"),
    Invariant("intent-wrong", REPORT),
    Invariant("lease-wrong", "the next claim ignores it; if it persists, check if the database's clock was set back"),
    Invariant("job-unscheduled", "run `slowwave db migrate`: it registers the jobs and packs that are installed"),
    Invariant("seal-missing", "a seal of this tenant was deleted: compare with a backup, find out who may write to it"),
    Invariant("partition-missing", "start `slowwave up` or `slowwave work`, or run `slowwave db migrate`"),
)
"""The invariants of all tenants together. The check of these invariants reads no content."""
