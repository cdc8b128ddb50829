"""Flower, a web page about Celery's workers, and the process that listens on its port."""

import contextlib
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from slowwave.wiring import Settings

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


USER = "slowwave"
SAVED_MILLISECONDS = 60_000
"""Milliseconds between Flower's saves: a restart loses at most the data since the last save."""
MOST_TASKS = 10_000
"""The most tasks that Flower keeps; Postgres has their results."""


@dataclass(frozen=True, slots=True)
class Page:
    """Flower's address, and the environment variables that configure it."""

    url: str
    environment: Mapping[str, str]


def flower(settings: Settings, say: Callable[[str], None]) -> Page | None:
    """Return Flower's page; if another process uses its port, report that and return None.

    Each start makes a new password. Flower serves `/metrics` without a password, since these metrics have only names
    and counts, and the messages they count contain only ids.
    """
    port = settings.flower_port
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind(("127.0.0.1", port))
        except OSError as error:
            holder = listener(port)
            taken = f"is taken by {holder}" if holder else f"cannot be used ({error.strerror})"
            say(f"port {port} {taken}: Flower is not started; choose another port in SLOWWAVE_FLOWER_PORT")
            return None
    password = secrets.token_urlsafe(12)
    return Page(
        f"http://{USER}:{password}@127.0.0.1:{port}",
        {
            "FLOWER_ADDRESS": "127.0.0.1",
            "FLOWER_PORT": str(port),
            "FLOWER_BASIC_AUTH": f"{USER}:{password}",
            "FLOWER_UNAUTHENTICATED_API": "false",
            "FLOWER_PERSISTENT": "true",
            "FLOWER_DB": str(settings.home.resolve() / "flower.db"),
            "FLOWER_STATE_SAVE_INTERVAL": str(SAVED_MILLISECONDS),
            "FLOWER_MAX_TASKS": str(MOST_TASKS),
        },
    )
