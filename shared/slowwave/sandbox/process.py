"""The near side of a confined process: it is started when first asked, and again after it ended."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, Incorrect
from slowwave.sandbox.wire_format import LONGEST_REPLY, OPENING, REPLY, WINDOW, Opening, Reply, Window

_PATIENCE = 6
"""Times its processor time that a window may take by the clock on the wall, on a machine that does other work."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a pack: *seconds* of processor time a window, *megabytes* of address space.

    Both are kept by the system, where it is a POSIX one; elsewhere time alone, by the clock.
    """

    seconds: int = 10
    megabytes: int = 512


class Sandbox:
    """Code of a pack, in a process without this one's settings, files and connections.

    *work* says which kind (`python`, `clips`), *given* are its texts. It keeps nothing from one window to the next.
    """

    def __init__(self, work: str, given: Mapping[str, str], limits: Limits) -> None:
        self._opening = Opening(work, dict(given), limits.seconds, limits.megabytes)
        self._lock = threading.Lock()
        self._process: _SandboxProcess | None = None

    def problems(self) -> list[str]:
        """Return everything that is wrong with the texts, found in a process that ends again."""
        process = _SandboxProcess(self._opening)
        try:
            return process.asked(OPENING.dump_json(self._opening)).problems
        except Fault as error:
            return [error.message]
        finally:
            process.stop()

    def claims(self, episodes: Sequence[StoredEpisode], before: Sequence[StoredEpisode] = ()) -> list[Claim]:
        """Return what the code claims about a window. Raises `Fault` where it breaks or takes too much."""
        window = WINDOW.dump_json(Window(list(episodes), list(before)))
        with self._lock:
            try:
                reply = self._ready().asked(window)
            except BaseException:
                self._stop()  # whoever was interrupted would read the answer to another question
                raise
        if reply.broke:
            raise Fault(f"the pack failed with {reply.broke}")
        return reply.claims

    def _ready(self) -> "_SandboxProcess":
        if self._process is None or not self._process.mine:
            self._process = _SandboxProcess(self._opening)
            if problems := self._process.asked(OPENING.dump_json(self._opening)).problems:
                raise Incorrect.listing("the pack", problems, hint="run `slowwave rules check`")
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


class _SandboxProcess:
    def __init__(self, opening: Opening) -> None:
        self._seconds, self._owner = opening.seconds, os.getpid()
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "slowwave.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/" if os.name == "posix" else None,
            env=environment(),
        )
        self.stop = weakref.finalize(self, _end, self._popen, self._owner)

    @property
    def mine(self) -> bool:
        """True if this process started it, and not the one it was forked from."""
        return self._owner == os.getpid()

    def asked(self, line: bytes) -> Reply:
        """Return the reply to *line*. Raises `Fault` where none comes."""
        assert self._popen.stdin  # both are pipes
        assert self._popen.stdout
        timer = threading.Timer(_PATIENCE * self._seconds, self._popen.kill)
        timer.start()
        try:
            self._popen.stdin.write(line + b"\n")
            self._popen.stdin.flush()
            reply = self._popen.stdout.readline(LONGEST_REPLY)
        except BrokenPipeError:
            reply = b""
        finally:
            timer.cancel()
        if not reply.endswith(b"\n"):
            self._popen.kill()
            raise Fault(self._end_of(self._popen.wait(), cut=bool(reply)))
        return REPLY.validate_json(reply)

    def _end_of(self, status: int, *, cut: bool) -> str:
        if cut:
            return f"the pack gave more than {LONGEST_REPLY} bytes of claims"
        if -status in _TOO_LONG:
            return f"the pack took longer than {self._seconds} s of processor time"
        return f"the pack's process ended with status {status}; it may have run out of memory"


_TOO_LONG = {int(getattr(signal, name)) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)}


def environment() -> dict[str, str]:
    """Return the variables of a process; none holds a password. Sets have one order, whatever process looks."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    home = str(Path(__file__).resolve().parents[2])
    return {**kept, "PYTHONPATH": os.pathsep.join([home, *filter(None, sys.path)]), "PYTHONHASHSEED": "0"}


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
