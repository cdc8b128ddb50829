"""The verbs of a memory over the HTTP of `slowwave serve`, for agents that reach no database."""

from collections.abc import Mapping

from slowwave.errors import Incorrect
from slowwave.remote.memory import RemoteMemory
from slowwave.remote.scope import RemoteScope

__all__ = ["RemoteMemory", "RemoteScope", "connected"]


def connected(url: str | None, key: str | None, settings: Mapping[str, object]) -> RemoteMemory:
    """Return the memory on the server at *url*. Raises `Incorrect` for *settings*, which are the server's own."""
    if settings:
        problems = [f"{name}: is a setting of the server" for name in settings]
        raise Incorrect.listing("connect", problems, hint="RemoteMemory takes timeout_seconds and patience_seconds")
    return RemoteMemory(url or "", key)
