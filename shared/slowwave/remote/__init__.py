"""The verbs of a memory over the HTTP API of `slowwave serve`, for agents without access to the database."""

from collections.abc import Mapping

from slowwave.errors import Incorrect
from slowwave.remote.memory import RemoteMemory
from slowwave.remote.scope import RemoteScope

__all__ = ["RemoteMemory", "RemoteScope", "connected"]


def connected(url: str | None, key: str | None, settings: Mapping[str, object]) -> RemoteMemory:
    """Return the memory on the server at *url*. Raises `Incorrect` for *settings*, which only the server has."""
    if settings:
        problems = [f"{name}: is a setting of the server" for name in settings]
        raise Incorrect.listing("connect", problems, hint="RemoteMemory takes timeout_seconds and patience_seconds")
    return RemoteMemory(url or "", key)
