"""File locks: who may start a server, and whether one is alive. The kernel drops them with their last holder."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from slowwave import clock
from slowwave.embedded.account import Account
from slowwave.errors import Unavailable

POLL_SECONDS = 0.02


def claim(path: Path, account: Account) -> int | None:
    """Return an open, locked file, or None while another process holds it.

    The lock belongs to the open file and so to every process that inherits it: it is free again when the last of
    them has ended, however it ended.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        account.give(handle)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:
        os.close(handle)
        raise
    return handle


def release(handle: int) -> None:
    """Free the lock for every process that inherited it."""
    fcntl.flock(handle, fcntl.LOCK_UN)  # closing alone would leave it to a child forked meanwhile
    os.close(handle)


@contextmanager
def held(path: Path, account: Account, *, deadline: float) -> Iterator[None]:
    """Hold the lock for the length of a block; `Unavailable` when *deadline* (monotonic seconds) comes first."""
    while (handle := claim(path, account)) is None:
        if clock.monotonic() > deadline:
            raise Unavailable(
                f"Another process has held {path} for too long: it is starting the same server, or hangs.",
                hint="wait for it, or end it, then start again",
            )
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        release(handle)
