"""Flower, a web page about Celery's workers: it listens only on the loopback interface, and needs a password."""

import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slowwave.cli.supervisor.listening_ports import listener
from slowwave.wiring import Settings

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
