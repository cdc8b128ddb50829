"""The supervisor of programs.

It starts each program in its own process session, restarts programs that end, and shuts all programs down.
"""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from slowwave.embedded_services import reaper
from slowwave.embedded_services.reaper import Order
from slowwave.runtime import clock
from slowwave.threads import Pause, Repeat, log_safely

GRACE_SECONDS = 15.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
STEADY_SECONDS = 60.0
"""After this number of seconds of running, a program's earlier failures no longer delay its restart."""
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run. Its environment is the supervisor's, overridden by *environment*. It inherits the open
    *files*.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: tuple[int, ...] = ()


class Child:
    """A program that restarts when it ends. Its output goes to *log*, or to the supervisor's own output."""

    def __init__(self, program: Program, log: Path | None) -> None:
        self.program = program
        self.log = log
        self.started = 0.0
        self.starts = 0
        self.restart_at = 0.0
        self._pause = Pause(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        self._keeper: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """True while the program runs."""
        return self._keeper is not None and self._keeper.poll() is None

    @property
    def up_seconds(self) -> float:
        """Seconds since the program started."""
        return clock.monotonic() - self.started if self.running else 0.0

    @property
    def pid(self) -> int | None:
        """The program's process id, which is also its process group id; None when it does not run."""
        if self._keeper is None or not self.running:
            return None
        path = Path(f"/proc/{self._keeper.pid}/task/{self._keeper.pid}/children")
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(path.read_text().split()[0])
        return None

    def start(self) -> None:
        """Start the program. Raises `OSError` or `MemoryError` when the machine lacks resources.

        On an error, `restart_at` is the time of the next attempt.
        """
        order = Order(
            command=list(self.program.command), log=str(self.log) if self.log else None, grace_seconds=GRACE_SECONDS,
            files=self.program.files,
        )  # fmt: skip
        try:
            self._keeper = reaper.start(order, environment={**os.environ, **self.program.environment})
        except (OSError, MemoryError):
            self._postpone()
            raise
        self.started = clock.monotonic()
        self.starts += 1

    def ended(self) -> int | None:
        """Return the exit status if the program has ended since the last call, and set the time of its restart."""
        if self._keeper is None or (status := self._keeper.poll()) is None:
            return None
        if clock.monotonic() - self.started > STEADY_SECONDS:
            self._pause.reset()
        self._postpone()
        self._drop()
        return status

    def kill(self) -> None:
        """Kill the program and all processes it started."""
        if self._keeper is not None:
            self._keeper.send_signal(signal.SIGINT)

    def ask_to_end(self) -> None:
        """Ask the program to shut down cleanly."""
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()

    def wait(self) -> None:
        """Wait until no process of the program is left."""
        if self._keeper is not None:
            self._keeper.wait()
            self._drop()

    def _postpone(self) -> None:
        self.restart_at = clock.monotonic() + self._pause.seconds
        self._pause.double()

    def _drop(self) -> None:
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper = None


class Supervisor:
    """Several programs, restarted until `stop`. Their output goes to one file each in *logs*, or to this process's
    output.

    A start that fails (no file descriptors, no memory) is retried after a pause that doubles.
    """

    def __init__(self, programs: Iterable[Program], *, logs: Path | None, say: Callable[[str], None]) -> None:
        self.children = {
            program.name: Child(program, logs / f"{program.name}.log" if logs else None) for program in programs
        }
        self._say = say
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._watch = Repeat(self._look_at_all, pause=lambda: LOOK_SECONDS, name="supervisor", say=say)

    @property
    def alive(self) -> bool:
        """True while the supervisor's thread runs."""
        return self._watch.alive

    def start(self) -> None:
        """Start every program, and keep it running."""
        for child in self.children.values():
            self._start(child)
        self._watch.__enter__()

    def kill(self, name: str) -> None:
        """Kill a program; the supervisor then restarts it."""
        with self._lock:
            self.children[name].kill()

    def stop(self) -> None:
        """End every program, and kill a program that exceeds its grace time. A repeat is safe."""
        self._ending.set()
        with self._lock:
            for child in self.children.values():
                child.ask_to_end()
            for child in self.children.values():
                child.wait()
        if self._watch.alive:
            self._watch.__exit__(None, None, None)

    def _look_at_all(self) -> None:
        with self._lock:
            for child in self.children.values():
                self._look(child)

    def _look(self, child: Child) -> None:
        if self._ending.is_set():
            return
        status = child.ended()
        if status is not None:
            where = f"; its log is {child.log}" if child.log else ""
            log_safely(self._say, f"{child.program.name} ended with status {status} and is restarted{where}")
        if not child.running and clock.monotonic() >= child.restart_at:
            self._start(child)

    def _start(self, child: Child) -> None:
        try:
            child.start()
        except (OSError, MemoryError) as error:
            seconds = child.restart_at - clock.monotonic()
            why = str(error) or "no memory"
            log_safely(self._say, f"{child.program.name} cannot be started ({why}); retried in {seconds:.1f} s")
