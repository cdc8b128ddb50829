"""Whether a process that runs still gets anywhere, judged by what it left in Postgres.

A Celery worker can hang for good after its broker crashed, and still look alive to the operating system. So it is
called: every few seconds a message is sent to it alone, and its answer is a row in Postgres, written the way all its
work is: through the broker, its main process and one of its children. Who is called for long enough, has something to
show for it in no way and holds no lease that it renews, hangs.
"""

from dataclasses import dataclass

BOOT_SECONDS = 60.0
"""How long a process may take from its start to its first sign of life, on a slow and busy machine."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What Postgres shows of a worker and of the scheduler. Ages are in seconds by the database's clock."""

    worker_seen: float | None
    """How long ago the worker answered a call, or began or ended a run; None for never."""
    working: int
    """How many runs of the worker hold a lease that has not ended."""
    waiting: float
    """How long the work that has waited longest has been due and free; 0 when none is."""
    ticked: float | None
    """How long ago the scheduler came through a tick; None for never."""


def worker_hangs(progress: Progress, *, up_seconds: float, called_seconds: float | None, stall_seconds: float) -> bool:
    """Return whether a worker that has run for *up_seconds* makes no progress although it is called.

    *called_seconds* is for how long the broker has been taking calls; None while it takes none: a worker that cannot
    hear is not to blame. A worker in a long run renews its lease, so it is busy, not hung.
    """
    if progress.working or called_seconds is None:
        return False
    allowed = stall_seconds if _seen_since_start(progress.worker_seen, up_seconds) else _boot(stall_seconds)
    silent = up_seconds if progress.worker_seen is None else min(progress.worker_seen, up_seconds)
    return min(silent, called_seconds) >= allowed


def scheduler_hangs(progress: Progress, *, up_seconds: float, stall_seconds: float) -> bool:
    """Return whether a scheduler that has run for *up_seconds* has stopped ticking."""
    allowed = stall_seconds if _seen_since_start(progress.ticked, up_seconds) else _boot(stall_seconds)
    silent = up_seconds if progress.ticked is None else min(progress.ticked, up_seconds)
    return silent >= allowed


def _seen_since_start(seen: float | None, up_seconds: float) -> bool:
    return seen is not None and seen < up_seconds


def _boot(stall_seconds: float) -> float:
    return max(stall_seconds, BOOT_SECONDS)
