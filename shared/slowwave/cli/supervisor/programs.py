"""The programs an installation consists of, and the command line of each."""

import importlib.util
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import SecretStr

from slowwave import queue
from slowwave.cli.supervisor.child import Program
from slowwave.errors import Incorrect
from slowwave.wiring import Settings

WORKER, SCHEDULER, POLLER, FLOWER = "worker", "scheduler", "poller", "flower"
_MODULES = {WORKER: "worker.app", SCHEDULER: "scheduler.beat", FLOWER: "worker.app"}
_WITHHELD = {"owner_url"}
"""What no program of the night needs: only migrations act as the owner, and they run before."""
_FLOWER_NEEDS_NOT = {"url", "cache_url", "outbox"}
"""Flower shows what passes the broker; it opens nothing else."""


def node_name() -> str:
    """Return the name under which this machine's Celery worker is called."""
    return f"celery@{socket.gethostname()}"


def runs_pattern() -> str:
    """Return the LIKE pattern for the owners under which the worker's children hold leases."""
    return node_name().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + ":%"


def programs(settings: Settings, names: Iterable[str], extra: Mapping[str, Mapping[str, str]]) -> list[Program]:
    """Return the programs of those *names*; *settings* carry the addresses that are in force.

    *extra* holds more of the environment, by program. Raises `Incorrect` when the application is not installed here.
    """
    require_application(names)
    return [
        Program(name, _command(settings, name), {**_environment(settings, name), **extra.get(name, {})})
        for name in names
    ]


def require_application(names: Iterable[str]) -> None:
    """Raise `Incorrect` unless the packages of the application can be imported, as far as *names* need them."""
    missing = sorted({_MODULES[name] for name in names if name in _MODULES and not _installed(_MODULES[name])})
    if missing:
        raise Incorrect(
            f"this is the library alone: {' and '.join(missing)} cannot be imported here",
            hint="run `slowwave up` in a checkout (make install) or in the image; `slowwave work` needs neither",
        )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _command(settings: Settings, name: str) -> tuple[str, ...]:
    level = settings.log_level
    python = (sys.executable, "-P", "-m")  # -P: nothing is imported from the folder it happens to run in
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
    """The settings as variables. Secrets travel here: an environment is its owner's, a command line everyone's.

    What *program* does not need is set to nothing, so that it does not come from the supervisor's own environment. What
    nobody set stays unset: that somebody named an endpoint for models, though it be the usual one, says something.
    """
    withheld = _WITHHELD | (_FLOWER_NEEDS_NOT if program == FLOWER else set())
    variables = {
        "REMAP_SIGTERM": "SIGQUIT",  # SIGTERM lets a Celery worker finish what it does, for a limited time
        "PYTHONUNBUFFERED": "1",
    }
    for name in withheld | settings.model_fields_set | {"home"}:
        value = "" if name in withheld else getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        elif isinstance(value, Path):
            value = value.resolve()  # programs run in another folder
        if value is not None:
            variables[f"SLOWWAVE_{name.upper()}"] = str(value)
    return variables
