"""The programs an installation consists of, and the command line of each."""

import importlib.util
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import SecretStr

from slowwave.broker import queue
from slowwave.cli.supervisor.supervisor import Program
from slowwave.errors import Incorrect
from slowwave.wiring import Settings

WORKER, SCHEDULER, POLLER, FLOWER = "worker", "scheduler", "poller", "flower"
_MODULES = {WORKER: "worker.app", SCHEDULER: "scheduler.beat", FLOWER: "worker.app"}
_WITHHELD = {"owner_url"}
"""Variables that no program needs: only migrations use the owner's address, and they have already run."""
_FLOWER_NEEDS_NOT = {"url", "cache_url", "outbox"}
"""Variables that Flower does not need, since it uses only the broker."""


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
    missing = sorted({_MODULES[name] for name in names if name in _MODULES and not _installed(_MODULES[name])})
    if missing:
        raise Incorrect(
            f"only the library is installed: {' and '.join(missing)} cannot be imported here",
            hint="run `slowwave up` in a checkout (make install) or in the image; `slowwave work` needs neither",
        )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


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
    """Return the settings as environment variables, also the secrets: other users could read a command line.

    Variables that *program* does not need are empty, so that it does not inherit the supervisor's values. Settings at
    their defaults are left out: to set a model's endpoint has a meaning, even with the default value.
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
