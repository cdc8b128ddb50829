"""Flower, the page that shows Celery's workers: on the loopback interface only, behind a password."""

import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slowwave.cli.supervisor.ports import listener
from slowwave.wiring import Settings

USER = "slowwave"
SAVED_MILLISECONDS = 60_000
"""How often Flower writes down what it knows: a restart forgets no more than that."""
MOST_TASKS = 10_000
"""Tasks it remembers; what they did stands in Postgres."""


@dataclass(frozen=True, slots=True)
class Page:
    """The address of Flower, and the environment that puts it there."""

    url: str
    environment: Mapping[str, str]


def flower(settings: Settings, say: Callable[[str], None]) -> Page | None:
    """Return where Flower can be; None, and a sentence, when something else has its port.

    The password is made anew at each start. `/metrics` is open in Flower whatever the password: it holds names and
    counts, and the messages it counts hold ids only.
    """
    port = settings.flower_port
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind(("127.0.0.1", port))
        except OSError as error:
            holder = listener(port)
            taken = f"is taken by {holder}" if holder else f"cannot be had ({error.strerror})"
            say(f"port {port} {taken}: no Flower this time; choose another in SLOWWAVE_FLOWER_PORT")
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
