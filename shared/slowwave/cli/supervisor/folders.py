"""The supervisor's log folder, and the lock that prevents a second supervisor."""

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from slowwave.errors import Incorrect


def private_folder(folder: Path) -> Path:
    """Return *folder*: create it if it is missing, and make it private to this user.

    Raises `Incorrect` for a link or another user's folder, since logs go into it.
    """
    folder = folder.parent.resolve() / folder.name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise Incorrect(f"{folder} is not a folder of this user", hint="move it away, or set SLOWWAVE_HOME elsewhere")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock at *path* during the block. Raises `Incorrect` when another process holds it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        _lock(handle, path.parent)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, home: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(handle, 20, 0).decode(errors="replace")
        who = f" as process {holder}" if holder.isdigit() else ""
        raise Incorrect(
            f"this is already running for {home}{who}", hint="end it first, or set SLOWWAVE_HOME to another folder"
        ) from None
