"""File locks of servers. They show which process may start a server, whether the server is alive, and who uses it.

The kernel frees locks when a process ends.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from slowwave.embedded_services.os_user import Account
from slowwave.errors import Unavailable
from slowwave.runtime import clock

POLL_SECONDS = 0.02


def claim(path: Path, account: Account) -> int | None:
    """Return an open, locked file, or None while another process holds the lock.

    The lock belongs to the open file, and to every process that inherits this file. The lock is freed when the last of
    these processes ends, for whatever reason.
    """
    handle = _opened(path, account)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return handle


def release(handle: int) -> None:
    """Free the lock for this process and for every process that inherited the lock."""
    fcntl.flock(handle, fcntl.LOCK_UN)  # to close the file would leave the lock to a child that was forked meanwhile
    os.close(handle)


@contextmanager
def locked(path: Path, account: Account, *, deadline: float) -> Iterator[None]:
    """Hold the lock during a block. Raise `Unavailable` if *deadline* (monotonic seconds) passes first."""
    while (handle := claim(path, account)) is None:
        if clock.monotonic() > deadline:
            raise Unavailable(
                f"Another process has held {path} for too long: it is still starting the same server, or it hangs.",
                hint="wait for it or end it, then start again",
            )
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        release(handle)


@dataclass
class Use:
    """This process as a user of a server.

    All objects of the process are one user. A forked child becomes a user only by `begin`.

    Users share the lock on *path*. The process that ends the server holds the lock exclusively, so that no other
    process can join meanwhile. The lock belongs to the process (POSIX), not to the open file. A child process does not
    inherit the lock.
    """

    path: Path
    handle: int
    owner: int
    count: int = 0

    _guard: ClassVar[threading.Lock] = threading.Lock()
    _all: ClassVar[dict[Path, "Use"]] = {}

    @classmethod
    def begin(cls, path: Path, account: Account) -> bool:
        """Make this process a user. Return True on success, and False while another process ends the server."""
        with cls._guard:
            use = cls._all.get(path)
            if use is None or use.owner != os.getpid():
                use = cls._all[path] = cls(path, _opened(path, account), os.getpid())
            if not use.count:
                try:
                    fcntl.lockf(use.handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except (BlockingIOError, PermissionError):
                    use._forget()
                    return False
            use.count += 1
            return True

    @classmethod
    @contextmanager
    def end(cls, path: Path) -> Iterator[bool]:
        """Remove one object from the count of this process's objects.

        Yield True if the server has no user left; in this case, no process can join during the block.
        """
        with cls._guard:  # held during the block, because a lock of another thread would merge with this lock
            use = cls._all.get(path)
            if use is None or use.owner != os.getpid():
                yield False
                return
            use.count -= 1
            if use.count:
                yield False
                return
            try:
                yield use._alone()
            finally:
                use._forget()

    def _alone(self) -> bool:
        try:
            fcntl.lockf(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _forget(self) -> None:
        del self._all[self.path]
        os.close(self.handle)  # this frees the lock


def _opened(path: Path, account: Account) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        account.give(handle)
    except OSError:
        os.close(handle)
        raise
    return handle
