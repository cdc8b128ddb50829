"""A whole installation on this machine: services, worker, scheduler, poll fallback, and the watchdog."""

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Self

from slowwave import wiring
from slowwave.broker import queue
from slowwave.cli.supervisor.programs import (
    FLOWER,
    POLLER,
    SCHEDULER,
    WORKER,
    Page,
    flower,
    node_name,
    programs,
    require_application,
    runs_pattern,
)
from slowwave.cli.supervisor.servers import only_one, prepare, private_folder, revive, services, settle_in
from slowwave.cli.supervisor.supervisor import Supervisor
from slowwave.core.health import Progress, Watched, hangs
from slowwave.embedded_services import Server
from slowwave.errors import Conflict, Fault, Unavailable
from slowwave.memory import health
from slowwave.runtime import clock
from slowwave.threads import Repeat
from slowwave.wiring import Settings, secret

QUICK_SECONDS = 0.25
USUAL = (WORKER, SCHEDULER, POLLER)
READY_SECONDS = 90.0
ALIVE = "alive"
"""The file in the home folder whose modification time is the last progress of all programs.

Health checks can read it without Python.
"""


class Watchdog:
    """Checks the worker and the scheduler of a supervisor each time `look` is called.

    *shown* reads the progress in Postgres. While *shown* raises `Unavailable` or `Conflict`, the watchdog kills
    nothing. A worker stalls if it makes no progress for *stall_seconds*, and a scheduler if it makes none for two ticks
    longer. The watchdog calls *alive* each time all programs have shown new progress.
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
        """Seconds until the next check. The pause is shorter while a program has not shown progress yet."""
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
        """Ping the worker, and start to wait for progress. Pings are repeated, because a broker may lose a ping."""
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


@dataclass(frozen=True)
class Night:
    """A running installation. *settings* has the addresses of its services, embedded or not."""

    settings: Settings
    servers: list[Server]
    supervisor: Supervisor
    watchdog: Watchdog
    logs: Path | None
    page: Page | None
    repeats: Mapping[str, Repeat] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The database's address."""
        return secret(self.settings.url) or ""

    @property
    def broker_url(self) -> str:
        """The broker's address."""
        return secret(self.settings.broker_url) or ""

    def connect(self) -> wiring.Parts:
        """Return parts that are connected to this installation. Close them before the installation ends."""
        return wiring.connect(self.settings)

    def wait_until_ready(self, timeout_seconds: float = READY_SECONDS) -> None:
        """Return once worker and scheduler have made progress in Postgres.

        Raises `Unavailable` after *timeout_seconds*.
        """
        end = clock.monotonic() + timeout_seconds
        while not self.watchdog.ready:
            self.require_threads()
            if clock.monotonic() > end:
                where = f" in {self.logs}" if self.logs else ""
                raise Unavailable(
                    f"worker and scheduler have shown no progress for {timeout_seconds:g} seconds",
                    hint=f"their logs{where} say why",
                )
            time.sleep(0.05)

    def require_threads(self) -> None:
        """Raise `Fault` if a thread that restarts services or programs has ended."""
        alive = {"programs": self.supervisor.alive} | {what: repeat.alive for what, repeat in self.repeats.items()}
        for what, lives in alive.items():
            if not lives:
                raise Fault(
                    f"the thread that restarts the {what} has ended, so everything shuts down",
                    hint="start it again, and please report the messages above",
                )

    @classmethod
    @contextlib.contextmanager
    def up(
        cls, settings: Settings, *, only: Collection[str] = USUAL, log_here: bool = False, wait: bool = True,
        say: Callable[[str], None] = lambda _: None,
    ) -> Iterator[Self]:  # fmt: skip
        """Give a running installation, and shut it down cleanly after the block.

        *only* names the programs. With *wait*, the programs have made progress before the block runs. The output of the
        programs goes to files in the home folder, or with *log_here* to this process's output. *say* receives a
        sentence about each event. The programs end with this process, even if this process is killed. Raises
        `Incorrect` when another process runs an installation in the same home.
        """
        with contextlib.ExitStack() as undo:
            require_application(only)
            settle_in(settings)
            undo.enter_context(only_one(settings.home / "up.lock"))
            page = flower(settings, say) if FLOWER in only else None
            names = [name for name in only if name != FLOWER or page]
            settings, servers = undo.enter_context(services(settings, say))
            wanted = programs(settings, names, {FLOWER: page.environment} if page else {})
            parts = undo.enter_context(contextlib.closing(wiring.connect(settings)))
            say("migrating the schema and registering the rule packs")
            prepare(parts)
            broker = secret(settings.broker_url) or ""
            queue.configure(broker)
            queue.refuse_evicting_broker(broker)

            logs = None if log_here else private_folder(settings.home / "logs")
            supervisor = Supervisor(wanted, logs=logs, say=say)
            shown = partial(health.progress_of, parts, worker=node_name(), runs=runs_pattern())
            stall = {"stall_seconds": settings.stall_seconds, "tick_seconds": settings.tick_seconds}
            alive = (settings.home / ALIVE).touch
            watchdog = Watchdog(supervisor, shown, **stall, say=say, alive=alive)
            repeats = {
                "services": Repeat(partial(revive, servers, say), pause=lambda: 1.0, name="services", say=say),
                "progress": Repeat(watchdog.look, pause=lambda: watchdog.pause_seconds, name="watchdog", say=say),
            }
            night = cls(settings, servers, supervisor, watchdog, logs, page, repeats)

            undo.enter_context(repeats["services"])
            undo.callback(supervisor.stop)
            say(f"starting {', '.join(names)}")
            supervisor.start()
            undo.enter_context(repeats["progress"])
            if wait:
                night.wait_until_ready()
            yield night
