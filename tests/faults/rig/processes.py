"""Processes to break, each in its own session, and waiting for a condition with a deadline."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import psutil

from slowwave.runtime import clock
from tests.faults.rig.ground import CHECKOUT

DEADLINE_SECONDS = 90.0
LOOK_SECONDS = 0.1
"""The interval of polling: short enough for fast tests, long enough to cause no load."""

T = TypeVar("T")


def until(
    found: Callable[[], T | None],
    what: str,
    *,
    seconds: float = DEADLINE_SECONDS,
    look: float = LOOK_SECONDS,
    otherwise: Callable[[], str] = str,
) -> T:
    """Return the first result of *found*; fail with *what* and the text of *otherwise* after *seconds*."""
    end = clock.monotonic() + seconds
    while True:
        result = found()
        if result:
            return result
        if clock.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}\n{otherwise()}")
        time.sleep(look)


class Process:
    """A program of ours, with its log."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path, *, folder: Path = CHECKOUT) -> None:
        self.command, self.env, self.log, self.folder = list(command), dict(env), log, folder
        self.starts = 0
        self._popen: subprocess.Popen[bytes] | None = None
        self._groups: list[int] = []

    @property
    def pid(self) -> int:
        """The id of the process, which is also that of its group."""
        assert self._popen is not None
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Return whether the process was started and has not ended."""
        return self._popen is not None and self._popen.poll() is None

    @property
    def succeeded(self) -> bool:
        """Return whether the process ended by itself with status 0."""
        return self._popen is not None and self._popen.poll() == 0

    def start(self) -> None:
        """Start it, or start it again."""
        with self.log.open("ab") as log:
            self._popen = subprocess.Popen(
                self.command, env=self.env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self._groups.append(self.pid)
        self.starts += 1

    def children(self) -> list[psutil.Process]:
        """The living child processes."""
        try:
            return psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        """Kill the process alone, and leave its children running."""
        os.kill(self.pid, signal.SIGKILL)
        assert self._popen is not None
        self._popen.wait()

    def ask(self, number: signal.Signals) -> None:
        """Send a signal to the process alone."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill_group(self) -> None:
        """Kill the process with its children and those orphaned by earlier kills, as a lost machine would."""
        self.signal_group(signal.SIGKILL)
        self._groups.clear()
        assert self._popen is not None
        self._popen.wait()

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and its children."""
        for group in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(group, number)

    def said(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""


@contextmanager
def running(process: Process) -> Iterator[Process]:
    """Run *process* during the block, and kill everything that is left of it afterwards."""
    process.start()
    try:
        yield process
    finally:
        process.kill_group()


def limit(process: psutil.Process, spare_bytes: int) -> psutil.Process:
    """Let *process* have so much more address space than it has now, and no more; return it."""
    process.rlimit(resource.RLIMIT_AS, (process.memory_info().vms + spare_bytes, resource.RLIM_INFINITY))
    return process


def plain_environment(**variables: str) -> dict[str, str]:
    """Return the environment of this process without settings of Slowwave, and *variables*."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")} | variables


def free_port() -> int:
    """Return a port of this host on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs *module* in this interpreter."""
    return [sys.executable, "-m", module, *arguments]


def celery(app: str, *, processes: int) -> list[str]:
    """Return the command of a real Celery worker with prefork children."""
    return python(
        "celery", "-A", app, "worker", "--pool", "prefork", "--concurrency", str(processes),
        "--loglevel", "INFO", "--without-mingle", "--without-gossip",
    )  # fmt: skip


def celery_beat() -> list[str]:
    """Return the command of a scheduler."""
    return python("celery", "-A", "scheduler.beat", "beat", "-S", "scheduler.beat:PostgresScheduler", "--pidfile=")


def frozen(pid: int) -> bool:
    """Return whether the process is stopped by a signal."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.NoSuchProcess:
        return False


def thaw(pid: int) -> None:
    """Let a stopped process continue."""
    os.kill(pid, signal.SIGCONT)
