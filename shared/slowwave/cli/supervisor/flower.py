"""Flower, the page that shows Celery's workers: only on the loopback interface, behind a password."""

import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slowwave.cli.supervisor.listening_ports import listener
from slowwave.wiring import Settings

USER = "slowwave"
SAVED_MILLISECONDS = 60_000
"""The seconds between Flower's saves: a restart loses no more than that."""
MOST_TASKS = 10_000
"""The most tasks that Flower keeps; Postgres has their results."""


@dataclass(frozen=True, slots=True)
class Page:
    """Flower's address, and the environment that makes it listen there."""

    url: str
    environment: Mapping[str, str]


def flower(settings: Settings, say: Callable[[str], None]) -> Page | None:
    """Return Flower's page; None, after a message, if another process uses its port.

    Each start makes a new password. Flower serves `/metrics` without a password: it has only names and counts, and the
    messages it counts carry only ids.
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
