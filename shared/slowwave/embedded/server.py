"""An embedded server: started by one process, joined by all others, gone when the last of them is gone."""

import contextlib
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Self

from slowwave import clock
from slowwave.embedded import keeper, locks
from slowwave.embedded.account import Account
from slowwave.embedded.keeper import Order
from slowwave.embedded.sockets import socket_folder
from slowwave.errors import Incorrect, Unavailable

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C", "HOME": "/"}
GRACE_SECONDS = 30.0  # for the last checkpoint on a slow disk; then the server is killed and recovers at its next start
LOG_TAIL_BYTES = 2000


class Server(ABC):
    """A server that lives in *folder*: started by the first who asks, joined by everyone after, ended by the last.

    Its address depends on *folder* alone, so it is the same after every restart. Not *durable*, for tests: a crash of
    the machine may lose everything; a crash of the server loses nothing of Postgres, and all of Redis. *settings* are
    added to, or replace, the server's own.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals]
    _left: ClassVar[list["subprocess.Popen[bytes]"]] = []  # the keepers of servers that are left to others

    def __init__(
        self,
        folder: Path,
        *,
        durable: bool = True,
        settings: Mapping[str, str] | None = None,
        timeout_seconds: float = 60.0,
    ) -> None:
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
        """The number of the server's process, or None when it is not running."""
        try:
            number = int(self._pid_file.read_text())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except PermissionError as problem:
            raise Incorrect(
                f"The folder {self.folder} is closed to the user {self.account.name}.",
                hint="set SLOWWAVE_HOME to a folder of this user, or start as the user that one belongs to",
            ) from problem
        return None if self._gone() else number

    def start(self) -> None:
        """Return once the server answers, started here or by another process; `Unavailable` says why it does not."""
        owned = self.owned
        if not owned:
            self.stop()  # clears away the keeper of a server that died
        self.account.adopt(self.folder)
        deadline = clock.monotonic() + self.timeout_seconds
        with locks.held(self.folder / "start.lock", self.account, deadline=deadline):
            try:
                self._join_or_start(deadline)
            except BaseException:
                if not owned:
                    self.stop()
                raise

    def stop(self) -> None:
        """Use the server no longer: end it in good order when nobody else does, else leave it to them."""
        if self._user != os.getpid():  # not started here, or by the process we were forked from
            return
        self._user = 0
        started, self._keeper = self._keeper if self._starter == os.getpid() else None, None
        with locks.Use.end(self._users) as last:
            if started is None:
                return
            assert started.stdin is not None
            with contextlib.suppress(BrokenPipeError), started.stdin as told:  # broken: it has ended already
                told.write(keeper.END if last else b"")
            if last or started.poll() is not None:
                started.wait()
                self._tidy()
            else:
                self._left[:] = [each for each in (*self._left, started) if each.poll() is None]

    def kill(self) -> None:
        """End the server as a power cut would, whoever started it, and return when nothing of it is left."""
        pid = self.pid
        if pid is not None:
            keeper.kill_tree(pid)
        self.stop()  # what ends here is its keeper
        with locks.held(self._alive, self.account, deadline=clock.monotonic() + self.timeout_seconds):
            return

    def restart(self) -> None:
        """Stop in good order, then start at the same address."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def _prepare(self, claim: int) -> list[str]:
        """Make ready what the server needs, and return its command. Programs run meanwhile inherit *claim*."""

    @abstractmethod
    def _answers(self) -> bool:
        """Return whether the server takes requests now."""

    def _settle(self) -> None:  # noqa: B027 - most servers have nothing left to do
        """Do what is to be done once the server answers, before anyone may join."""

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
        claim = locks.claim(self._alive, self.account)
        if claim is None:
            return False
        locks.release(claim)
        return True

    def _join_or_start(self, deadline: float) -> None:
        while not (self._uses() and self.pid is not None and self._answers()):
            claim = locks.claim(self._alive, self.account) if self._user else None
            if claim is not None:
                self._start_claimed(claim, deadline)
                return
            if clock.monotonic() > deadline:
                raise self._unavailable("is running but does not answer", since=0)
            time.sleep(locks.POLL_SECONDS)

    def _uses(self) -> bool:
        if self._user != os.getpid() and locks.Use.begin(self._users, self.account):
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
        return keeper.start(order)

    def _wait_for_answer(self, deadline: float, since: int) -> None:
        while not (self._pid_file.exists() and self._answers()):
            if self._keeper is None or self._keeper.poll() is not None:
                raise self._unavailable("ended while it was starting", since)
            if clock.monotonic() > deadline:
                raise self._unavailable(f"did not answer within {self.timeout_seconds:g} seconds", since)
            time.sleep(locks.POLL_SECONDS)

    def _unavailable(self, what: str, since: int) -> Unavailable:
        return Unavailable(
            f"The embedded {self.name} in {self.folder} {what}. {self._last_words(since)}",
            hint=f"the whole log is {self.log}; mend what it names and start again",
        )

    def _last_words(self, since: int) -> str:
        said = self.log.read_bytes()[since:] if self.log.exists() else b""
        text = said[-LOG_TAIL_BYTES:].decode(errors="replace").strip()
        return f"The last it said:\n{text}" if text else "It said nothing."

    def _tidy(self) -> None:
        """Remove a socket folder outside our own, unless someone has started the server again already."""
        if self.sockets.is_relative_to(self.folder):
            return
        claim = locks.claim(self._alive, self.account)
        if claim is not None:
            with contextlib.suppress(OSError):  # not empty, or gone
                self.sockets.rmdir()
            locks.release(claim)
