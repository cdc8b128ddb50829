"""The process that listens on a port of this machine, if Linux lets this user see it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

LISTENING = "0A"
"""The state of a listening socket in /proc/net/tcp."""


def listener(port: int) -> str | None:
    """Return the process that listens on *port*, like `nginx (process 4711)`; None if it cannot be determined.

    For a process of Slowwave, the text includes its home: `celery flower of /home/nora/.slowwave (process 4711)`.
    """
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    for handle in Path("/proc").glob("[0-9]*/fd/*") if wanted else ():
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if os.readlink(handle) in wanted:
                process = handle.parents[1]
                return f"{_program(process)} (process {process.name})"
    return None


def _program(process: Path) -> str:
    name = (process / "comm").read_text().strip()
    command = [word.decode(errors="replace") for word in (process / "cmdline").read_bytes().split(b"\0")[1:]]
    if "-m" in command[:-1]:  # show the Python module and Celery's subcommand instead of the interpreter
        module = command[command.index("-m") + 1]
        parts = [part for part in ("flower", "worker", "beat") if module == "celery" and part in command]
        name = " ".join([module, *parts])
    variables = dict(line.partition(b"=")[::2] for line in (process / "environ").read_bytes().split(b"\0"))
    home = variables.get(b"SLOWWAVE_HOME")
    return f"{name} of {os.fsdecode(home)}" if home else name


def _inodes(port: int) -> Iterator[str]:
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        with contextlib.suppress(OSError):  # /proc/net is missing on this system
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                address, state = fields[1], fields[3]
                if state == LISTENING and int(address.rpartition(":")[2], 16) == port:
                    yield fields[9]
