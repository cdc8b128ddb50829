"""The programs of an installation and their command lines, Flower's address, and the process that listens on a port."""

import contextlib
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from slowwave.broker import queue
from slowwave.cli.supervisor.supervisor import Program
from slowwave.errors import Incorrect
from slowwave.runtime.extras import is_importable
from slowwave.wiring import Settings

WORKER, SCHEDULER, POLLER, FLOWER = "worker", "scheduler", "poller", "flower"
_MODULES = {WORKER: "worker.app", SCHEDULER: "scheduler.beat", FLOWER: "worker.app"}
_WITHHELD = {"owner_url"}
"""Variables that no program needs: only migrations use the owner's address, and they have already run."""
_FLOWER_NEEDS_NOT = {"url", "cells", "cache_url", "outbox", "encryption_keys", "id_key"}
"""Variables that Flower does not need, since it uses only the broker."""
LISTENING = "0A"
"""The state of a listening socket in /proc/net/tcp."""
USER = "slowwave"
SAVED_MILLISECONDS = 60_000
"""Milliseconds between Flower's saves. A restart loses at most the data since the last save."""
MOST_TASKS = 10_000
"""The maximum number of tasks that Flower keeps. Postgres has the results of all tasks."""


def node_name() -> str:
    """Return the node name of this machine's Celery worker."""
    return f"celery@{socket.gethostname()}"


def runs_pattern() -> str:
    """Return a LIKE pattern that matches the lease owner names of the worker's child processes."""
    return node_name().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + ":%"


def programs(settings: Settings, names: Iterable[str], extra: Mapping[str, Mapping[str, str]]) -> list[Program]:
    """Return the programs with the given *names*; *settings* has the addresses in use.

    *extra* has additional environment variables by program. Raises `Incorrect` when the application is not installed.
    """
    require_application(names)
    return [
        Program(name, _command(settings, name), {**_environment(settings, name), **extra.get(name, {})})
        for name in names
    ]


def require_application(names: Iterable[str]) -> None:
    """Raise `Incorrect` unless the application packages that *names* need can be imported."""
    missing = sorted({_MODULES[name] for name in names if name in _MODULES and not is_importable(_MODULES[name])})
    if missing:
        raise Incorrect(
            f"only the library is installed: {' and '.join(missing)} cannot be imported here",
            hint="run `slowwave up` in a checkout (make install) or in the image; `slowwave work` needs neither",
        )


def _command(settings: Settings, name: str) -> tuple[str, ...]:
    level = settings.log_level
    python = (sys.executable, "-P", "-m")  # -P: import nothing from the current folder
    commands: dict[str, tuple[str, ...]] = {
        WORKER: (
            *("celery", "-A", "worker.app", "worker", "--pool=prefork", f"--hostname={node_name()}"),
            *("--queues", queue.QUEUE),
            *("--without-gossip", "--without-mingle", f"--loglevel={level}"),
        ),
        SCHEDULER: (
            *("celery", "-A", "scheduler.beat:app", "beat"),
            *("-S", "scheduler.beat:PostgresScheduler", "--pidfile=", f"--loglevel={level}"),
        ),
        POLLER: ("slowwave.cli", "work", "--overdue", f"{settings.overdue_seconds:g}"),
        FLOWER: ("celery", "-A", "worker.app", "flower"),
    }
    return python + commands[name]


def _environment(settings: Settings, program: str) -> dict[str, str]:
    """Return the settings, including secrets, as environment variables. A command line would be readable by other
    users.

    Variables that *program* does not need are empty, so that *program* does not inherit the supervisor's values.
    Settings that nobody set are left out, because a program would treat a passed default as a value that somebody set.
    """
    withheld = _WITHHELD | (_FLOWER_NEEDS_NOT if program == FLOWER else set())
    variables = {
        "REMAP_SIGTERM": "SIGQUIT",  # SIGTERM lets a worker finish its task, within a limit
        "PYTHONUNBUFFERED": "1",
    }
    for name in withheld | settings.model_fields_set | {"home"}:
        value = "" if name in withheld else getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        elif isinstance(value, Path):
            value = value.resolve()  # absolute, since programs run in another folder
        if value is not None:
            variables[f"SLOWWAVE_{name.upper()}"] = str(value)
    return variables


def listener(port: int) -> str | None:
    """Return the process that listens on *port*, like `nginx (process 4711)`; None if it cannot be determined.

    For a process of Slowwave, the text includes its home, like
    `celery flower of /home/nora/.local/share/slowwave (process 4711)`.
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
