"""The watchdog's verdict: whether a process still makes progress, judged by the rows it left in Postgres.

A Celery worker can hang for good after its broker crashed, and still look alive to the operating system. So it is
called: every few seconds a message goes to it alone, and its answer is a row in Postgres, written the way all its work
is: through the broker, its main process and one of its children. The scheduler leaves such a row with every tick.
"""

from dataclasses import dataclass

BOOT_SECONDS = 60.0
"""How long a process may take from its start to its first sign of life, on a slow and busy machine."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The signs of life in Postgres. Ages are in seconds by the database's clock; None means never."""

    worker_seen: float | None
    """How long ago the worker answered a call, or began or ended a run."""
    working: int
    """How many runs of the worker hold a lease that has not ended."""
    ticked: float | None
    """How long ago the scheduler came through a tick."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One process as its watchdog knows it.

    *seen* is the age of its last sign of life by the database's clock; *waited* is for how long, by the watchdog's own
    clock, the next one has been awaited, and None while none can be expected, as from a worker whose broker takes no
    calls. A machine that slept moves one clock and not the other.
    """

    seen: float | None
    waited: float | None
    up: float
    busy: bool = False

    @property
    def answered(self) -> bool:
        """True once the awaited sign of life has come."""
        return self.seen is not None and self.waited is not None and self.seen < self.waited

    @property
    def ready(self) -> bool:
        """True once the process has shown life since it was started."""
        return self.seen is not None and self.seen < self.up


def hangs(process: Watched, *, stall_seconds: float) -> bool:
    """Return whether a process makes no progress although it should.

    A worker in a long run renews its lease: it is busy, not hung.

    >>> hangs(Watched(seen=31, waited=31, up=900), stall_seconds=30)
    True
    """
    if process.busy or process.waited is None:
        return False
    allowed = stall_seconds if process.ready else max(stall_seconds, BOOT_SECONDS)
    silent = process.up if process.seen is None else min(process.seen, process.up)
    return min(silent, process.waited) >= allowed
