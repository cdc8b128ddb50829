"""The watchdog: pings the worker, reads progress from Postgres, and kills stalled programs so that they restart."""

from collections.abc import Callable

from slowwave.broker import queue
from slowwave.cli.supervisor.programs import SCHEDULER, WORKER, node_name
from slowwave.cli.supervisor.supervisor import Supervisor
from slowwave.core.health import Progress, Watched, hangs
from slowwave.errors import Conflict, Unavailable
from slowwave.runtime import clock

QUICK_SECONDS = 0.25


class Watchdog:
    """Checks the worker and the scheduler of a supervisor each time `look` is called.

    *shown* reads the progress in Postgres; while it raises `Unavailable`, the watchdog kills nothing. A scheduler gets
    two ticks more than *stall_seconds*. The watchdog calls *alive* each time all programs have shown new progress.
    """

    def __init__(
        self, supervisor: Supervisor, shown: Callable[[], Progress], *, stall_seconds: float, tick_seconds: float,
        say: Callable[[str], None], alive: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self._alive = alive
        self._children = {n: c for n, c in supervisor.children.items() if n in (WORKER, SCHEDULER)}
        self._kill = supervisor.kill
        self._shown = shown
        self._call_seconds = stall_seconds / 6
        self._stall_seconds = {WORKER: stall_seconds, SCHEDULER: stall_seconds + 2 * tick_seconds}
        self._say = say
        self._waiting_since: dict[str, float] = {}
        self._seen_ready: set[str] = set()
        self._seen_alive: set[str] = set()
        self._next_call = 0.0

    @property
    def ready(self) -> bool:
        """True once every watched program has shown progress since the start."""
        return self._seen_ready == set(self._children)

    @property
    def pause_seconds(self) -> float:
        """Seconds until the next check: fewer while a program has not shown progress yet."""
        return self._call_seconds if self.ready else QUICK_SECONDS

    def look(self) -> None:
        """Read the progress, kill stalled programs, and ping the worker."""
        try:
            progress = self._shown()
        except (Unavailable, Conflict):
            self._waiting_since.clear()
            return
        for name in self._children:
            self._judge(name, self._watched(name, progress))
        if self._seen_alive == set(self._children):
            self._alive()
            self._seen_alive.clear()
        self._expect()

    def _watched(self, name: str, progress: Progress) -> Watched:
        since = self._waiting_since.get(name)
        return Watched(
            seen=progress.worker_seen if name == WORKER else progress.ticked,
            waited=None if since is None else clock.monotonic() - since,
            up=self._children[name].up_seconds,
            busy=name == WORKER and progress.working > 0,
        )

    def _judge(self, name: str, process: Watched) -> None:
        if process.ready:
            self._seen_ready.add(name)
        if process.answered or process.busy:
            self._seen_alive.add(name)
        if process.answered:
            del self._waiting_since[name]
        elif hangs(process, stall_seconds=(stall_seconds := self._stall_seconds[name])):
            self._say(f"{name} hangs: no progress for {stall_seconds:g} s; it is killed and starts again")
            self._kill(name)
            del self._waiting_since[name]

    def _expect(self) -> None:
        """Ping every program that can answer. A broker that fails may lose a ping, so pings are repeated."""
        now = clock.monotonic()
        for name in self._children:
            try:
                if name == WORKER and now >= self._next_call:
                    queue.call(node_name())
                    self._next_call = now + self._call_seconds
            except Unavailable:
                self._waiting_since.pop(name, None)
            else:
                self._waiting_since.setdefault(name, now)
