"""The handle of a sandbox process, and the lines of JSON between the process and its parent."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, Incorrect

LONGEST_REPLY = 16 * 1024 * 1024
"""The maximum number of bytes of a reply. The claims about a window need fewer bytes."""
_PATIENCE = 6
"""The limit of elapsed time, divided by the limit of processor time. The factor allows for other load on the machine.
"""
_TOO_LONG = {int(getattr(signal, name)) for name in ("SIGXCPU", "SIGKILL") if hasattr(signal, name)}


@dataclass(frozen=True, slots=True)
class Opening:
    """The first line to the process: the kind of *work*, the texts of the code, and the limits.

    *seconds* limits the processor time of the start and of each window. *megabytes* limits the address space.
    """

    work: str
    given: dict[str, str]
    seconds: int
    megabytes: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A line from the process: the *claims* of a window, the *problems* of the texts, or an error.

    *broke* is the error of the pack's code.
    """

    claims: list[Claim] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broke: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """A later line to the process: the *episodes* of a window, and the earlier turns of their sessions (*before*)."""

    episodes: list[StoredEpisode]
    before: list[StoredEpisode] = field(default_factory=list)


OPENING = TypeAdapter(Opening)
REPLY = TypeAdapter(Reply)
WINDOW = TypeAdapter(Window)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a pack: *seconds* of processor time per window, and *megabytes* of address space.

    A POSIX system enforces both limits. On other systems, only the elapsed time is limited.
    """

    seconds: int = 10
    megabytes: int = 512


class Sandbox:
    """Code of a pack in a separate process, without access to this process's settings, files and connections.

    *work* is the kind of code (`python` or `clips`). *given* contains the texts of the code. No state survives from one
    window to the next.
    """

    def __init__(self, work: str, given: Mapping[str, str], limits: Limits) -> None:
        self._opening = Opening(work, dict(given), limits.seconds, limits.megabytes)
        self._lock = threading.Lock()
        self._process: _SandboxProcess | None = None

    def problems(self) -> list[str]:
        """Return all problems of the code, from a process that loads the code and reads no window."""
        process = _SandboxProcess(self._opening)
        try:
            return process.asked(OPENING.dump_json(self._opening)).problems
        except Fault as error:
            return [error.message]
        finally:
            process.stop()

    def claims(self, episodes: Sequence[StoredEpisode], before: Sequence[StoredEpisode] = ()) -> list[Claim]:
        """Return the claims of the code about a window. Raises `Fault` if the code fails or exceeds a limit."""
        window = WINDOW.dump_json(Window(list(episodes), list(before)))
        with self._lock:
            try:
                reply = self._ready().asked(window)
            except BaseException:
                self._stop()  # after an interrupt, the next call would otherwise read this answer
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
        """True if this process started the sandbox process; False if a parent process did so before a fork."""
        return self._owner == os.getpid()

    def asked(self, line: bytes) -> Reply:
        """Return the reply to *line*. Raises `Fault` if there is no reply."""
        assert self._popen.stdin  # standard input and output are pipes
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


def environment() -> dict[str, str]:
    """Return the environment variables of a sandbox process, without passwords.

    A fixed hash seed makes the order of sets the same in every process.
    """
    inherited = {
        name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ
    }
    home = str(Path(__file__).resolve().parents[2])
    return {**inherited, "PYTHONPATH": os.pathsep.join([home, *filter(None, sys.path)]), "PYTHONHASHSEED": "0"}


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
