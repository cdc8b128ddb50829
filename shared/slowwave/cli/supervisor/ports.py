"""The process that listens on a port of this machine, as far as Linux tells this user."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

LISTENING = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def listener(port: int) -> str | None:
    """Return the process that listens on *port*, as `python3 (process 4711)`; None where that cannot be told."""
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    for handle in Path("/proc").glob("[0-9]*/fd/*") if wanted else ():
        with contextlib.suppress(OSError):  # it has ended, or belongs to somebody else
            if os.readlink(handle) in wanted:
                process = handle.parents[1]
                return f"{(process / 'comm').read_text().strip()} (process {process.name})"
    return None


def _inodes(port: int) -> Iterator[str]:
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        with contextlib.suppress(OSError):  # not on this system
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                address, state = fields[1], fields[3]
                if state == LISTENING and int(address.rpartition(":")[2], 16) == port:
                    yield fields[9]
