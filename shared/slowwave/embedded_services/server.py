"""An embedded server and its socket. One process starts the server, other processes join it, the last one stops it."""

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Self

from slowwave.embedded_services import file_locks, reaper
from slowwave.embedded_services.os_user import ENVIRONMENT, Account
from slowwave.embedded_services.reaper import Order
from slowwave.errors import Incorrect, Unavailable
from slowwave.runtime import clock

# Linux allows 107 bytes, macOS 103. Fourteen of them are for "/.s.PGSQL.5432", our longest name, and one is spare.
LONGEST_FOLDER_BYTES = 103 - 15
SHORT_BASES = (Path("/tmp"), Path("/var/tmp"))  # our folders in them have mode 0700, and their owner is checked
PLAIN = re.compile(r"[A-Za-z0-9/._+-]+")  # needs no quoting in a URL, in Postgres' list of folders, or in kombu
GRACE_SECONDS = 30.0  # for the last checkpoint; then the server is killed, and recovers at the next start
LOG_TAIL_BYTES = 2000


def socket_folder(folder: Path, *, bases: tuple[Path, ...] = SHORT_BASES) -> Path:
    """Return the folder for the sockets of the server in *folder*. The result is always the same for the same *folder*.

    >>> socket_folder(Path("/var/tmp/slowwave/redis"))
    PosixPath('/var/tmp/slowwave/redis/run')
    """
    beside = folder / "run"
    if PLAIN.fullmatch(str(beside)) and len(os.fsencode(beside)) <= LONGEST_FOLDER_BYTES:
        return beside

    name = f"slowwave-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    for base in bases:
        if os.access(base, os.W_OK | os.X_OK):
            return base / name
    raise Incorrect(
        f"The path {folder} is too long or too unusual for a socket, and no short folder is writable "
        f"({', '.join(map(str, bases))}).",
        hint=f"choose a home of at most {LONGEST_FOLDER_BYTES - len('/postgres/run')} plain characters",
    )


class Server(ABC):
    """A server in *folder*. The first process starts the server, others join it, and the last one ends it.

    The address of the server depends only on *folder*, and is the same after every restart. If *durable* is False (for
    tests), a crash of the machine may lose all data, and a crash of a Redis server loses its data. *settings* are added
    to the server's own settings, or replace them.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]
    _left: ClassVar[list["subprocess.Popen[bytes]"]] = []  # the keepers of servers that other processes still use

    def __init__(
        self, folder: Path, *, durable: bool = True, settings: Mapping[str, str] | None = None,
        timeout_seconds: float = 60.0,
    ) -> None:  # fmt: skip
        self.folder = folder.resolve()
        self.sockets = socket_folder(self.folder)
        self.log = self.folder / "server.log"
        self.durable = durable
        self.settings = dict(settings or {})
        self.timeout_seconds = timeout_seconds
        self.account = Account.choose(self.folder)
        self._keeper: subprocess.Popen[bytes] | None = None
        self._starter = 0
        self._user = 0

    @property
    def owned(self) -> bool:
        """True if this object started the server."""
        return self._starter == os.getpid() and self._keeper is not None and self._keeper.poll() is None

    @property
    def pid(self) -> int | None:
        """The process id of the server, or None if it is not running."""
        try:
            number = int(self._pid_file.read_text())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except PermissionError as problem:
            raise Incorrect(
                f"The user {self.account.name} may not use the folder {self.folder}.",
                hint="set SLOWWAVE_HOME to a folder of this user, or start as the owner of that folder",
            ) from problem
        return None if self._gone() else number

    def start(self) -> None:
        """Start or join the server; return when the server replies.

        Raises `Unavailable` with the reason if the server does not reply.
        """
        owned = self.owned
        if not owned:
            self.stop()  # cleans up the keeper of a server that died
        self.account.adopt(self.folder)
        deadline = clock.monotonic() + self.timeout_seconds
        with file_locks.locked(self.folder / "start.lock", self.account, deadline=deadline):
            try:
                self._join_or_start(deadline)
            except BaseException:
                if not owned:
                    self.stop()
                raise

    def stop(self) -> None:
        """Stop using the server. If no other process uses the server, end it cleanly; otherwise leave it running."""
        if self._user != os.getpid():  # not started here, or by our parent process
            return
        self._user = 0
        started, self._keeper = self._keeper if self._starter == os.getpid() else None, None
        with file_locks.Use.end(self._users) as last:
            if started is None:
                return
            assert started.stdin is not None
            with contextlib.suppress(BrokenPipeError), started.stdin as stdin:  # the program has ended
                stdin.write(reaper.END if last else b"")
            if last or started.poll() is not None:
                started.wait()
                self._tidy()
            else:
                self._left[:] = [each for each in (*self._left, started) if each.poll() is None]

    def kill(self) -> None:
        """Kill the server like a power cut, even if another process started it.

        Return when all its processes have ended.
        """
        pid = self.pid
        if pid is not None:
            reaper.kill_tree(pid)
        self.stop()  # this ends the keeper
        with file_locks.locked(self._alive, self.account, deadline=clock.monotonic() + self.timeout_seconds):
            return

    def restart(self) -> None:
        """Stop the server cleanly, then start it at the same address."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def _prepare(self, claim: int) -> list[str]:
        """Prepare the files of the server, and return the command that starts the server.

        Programs that this method runs inherit the lock *claim*.
        """

    @abstractmethod
    def _answers(self) -> bool:
        """Return whether the server answers requests now."""

    def _settle(self) -> None:  # noqa: B027 - most servers have nothing left to do
        """Finish the set-up after the server replies, before other processes may join."""

    @property
    def _alive(self) -> Path:
        return self.folder / "alive.lock"

    @property
    def _users(self) -> Path:
        return self.folder / "users.lock"

    @property
    def _pid_file(self) -> Path:
        return self.folder / "server.pid"

    def _gone(self) -> bool:
        claim = file_locks.claim(self._alive, self.account)
        if claim is None:
            return False
        file_locks.release(claim)
        return True

    def _join_or_start(self, deadline: float) -> None:
        while not (self._uses() and self.pid is not None and self._answers()):
            claim = file_locks.claim(self._alive, self.account) if self._user else None
            if claim is not None:
                self._start_claimed(claim, deadline)
                return
            if clock.monotonic() > deadline:
                raise self._unavailable("is running but does not answer", since=0)
            time.sleep(file_locks.POLL_SECONDS)

    def _uses(self) -> bool:
        if self._user != os.getpid() and file_locks.Use.begin(self._users, self.account):
            self._user = os.getpid()
        return self._user == os.getpid()

    def _start_claimed(self, claim: int, deadline: float) -> None:
        since = self.log.stat().st_size if self.log.exists() else 0
        try:
            self._pid_file.unlink(missing_ok=True)
            self.account.adopt(self.sockets)
            command = self._prepare(claim)
            self._keeper, self._starter = self._spawn(command, claim), os.getpid()
        except OSError as problem:
            raise self._unavailable(f"could not be made ready ({problem})", since) from problem
        finally:
            os.close(claim)
        self._wait_for_answer(deadline, since)
        self._settle()

    def _spawn(self, command: list[str], claim: int) -> "subprocess.Popen[bytes]":
        order = Order(
            command=command,
            environment=ENVIRONMENT,
            folder=str(self.folder),
            log=str(self.log),
            pid_file=str(self._pid_file),
            lock=claim,
            users=str(self._users),
            account=(self.account.uid, self.account.gid) if self.account.switched else None,
            stop_signal=self.stop_signal,
            grace_seconds=GRACE_SECONDS,
        )
        return reaper.start(order)

    def _wait_for_answer(self, deadline: float, since: int) -> None:
        while not (self._pid_file.exists() and self._answers()):
            if self._keeper is None or self._keeper.poll() is not None:
                raise self._unavailable("ended while it was starting", since)
            if clock.monotonic() > deadline:
                raise self._unavailable(f"did not answer within {self.timeout_seconds:g} seconds", since)
            time.sleep(file_locks.POLL_SECONDS)

    def _unavailable(self, what: str, since: int) -> Unavailable:
        return Unavailable(
            f"The embedded {self.name} in {self.folder} {what}. {self._last_words(since)}",
            hint=f"the whole log is {self.log}; fix what it names and start again",
        )

    def _last_words(self, since: int) -> str:
        output = self.log.read_bytes()[since:] if self.log.exists() else b""
        text = output[-LOG_TAIL_BYTES:].decode(errors="replace").strip()
        return f"Its last output:\n{text}" if text else "It wrote no output."

    def _tidy(self) -> None:
        """Remove a socket folder outside *folder*, unless the server was started again already."""
        if self.sockets.is_relative_to(self.folder):
            return
        claim = file_locks.claim(self._alive, self.account)
        if claim is not None:
            with contextlib.suppress(OSError):  # not empty, or gone
                self.sockets.rmdir()
            file_locks.release(claim)
