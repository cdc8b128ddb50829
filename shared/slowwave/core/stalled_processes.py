"""The rule of the watchdog (`cli/supervisor/watchdog.py`): whether a process stalls, judged by its rows in Postgres.

A Celery worker can hang forever after its broker crashed, and still look alive to the operating system. So every few
seconds it gets a message of its own, and answers with a row in Postgres. The answer takes the same path as all its
work: through the broker, its main process and one of its children. The scheduler leaves such a row with every tick.
"""

from dataclasses import dataclass

BOOT_SECONDS = 60.0
"""The longest time from a process's start to its first sign of life, on a slow and busy machine."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The signs of life in Postgres. Ages are in seconds by the database's clock; None means never."""

    worker_seen: float | None
    """The age of the worker's last answer, or of the last start or end of its runs."""
    working: int
    """The number of the worker's runs with a valid lease."""
    ticked: float | None
    """The age of the last completed scheduler tick."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One process as its watchdog sees it.

    *seen* is the age of its last sign of life by the database's clock. *waited* is how long, by the watchdog's own
    clock, it has waited for the next one; None if none can be expected, as from a worker whose broker takes no
    messages. Suspending the machine moves one clock and not the other.
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

    A worker in a long run renews its lease: it is busy, not hung.

    >>> hangs(Watched(seen=31, waited=31, up=900), stall_seconds=30)
    True
    """
    if process.busy or process.waited is None:
        return False
    allowed = stall_seconds if process.ready else max(stall_seconds, BOOT_SECONDS)
    silent = process.up if process.seen is None else min(process.seen, process.up)
    return min(silent, process.waited) >= allowed
