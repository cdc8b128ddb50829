"""The supervisor of programs: it starts them, restarts a program that ends, and shuts all down cleanly."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from slowwave.cli.supervisor.child import Child, Program
from slowwave.runtime import clock
from slowwave.threads import Repeat, log_safely

LOOK_SECONDS = 0.2


class Supervisor:
    """Several programs, restarted until `stop`. Output goes to one file per program in *logs*, or to this process's.

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
        """End every program; kill a program that exceeds its grace time. Returns when none is left. Safe to repeat."""
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
