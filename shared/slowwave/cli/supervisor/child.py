"""One program under the supervisor: it starts in its own session, and ends together with its child processes."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from slowwave.embedded_services import reaper
from slowwave.embedded_services.reaper import Order
from slowwave.runtime import clock
from slowwave.threads import Pause

GRACE_SECONDS = 15.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
STEADY_SECONDS = 60.0
"""After so many seconds of running, a program's earlier failures no longer delay its restart."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run. Its environment is the supervisor's, overridden by *environment*."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


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
            command=list(self.program.command), log=str(self.log) if self.log else None, grace_seconds=GRACE_SECONDS
        )
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
