"""Undo and replay over HTTP: the verbs of a memory and of a scope."""

from collections.abc import Mapping
from typing import Any

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked
from slowwave.domain.undo import Undone, What
from slowwave.remote.http import HttpConnection, at
from slowwave.remote.responses import listed, only, read

MOST_SECONDS = 60.0
"""The longest time that a server waits for busy workers."""


class RemoteUndoingAll:
    """The verbs that undo in a whole tenant."""

    _wire: HttpConnection

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Undo what was decided; return what changed. See `Memory.undo`; a server waits for a minute at most."""
        only(tenant=tenant)
        return undone(
            self._wire, "/v1/undo", what=what, since=since, by=by, reason=reason, preview=preview, timeout=timeout
        )

    @checked
    def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of the tenant, newest first, each with what it changed."""
        only(tenant=tenant)
        return listed(Undone, self._wire.get("/v1/undos", limit=limit))


class RemoteUndoing:
    """The verbs that undo or replay in one scope."""

    _wire: HttpConnection

    @checked
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo what was decided in this scope; see `MemoryScope.undo`. A server waits for a minute at most."""
        return undone(
            self._wire,
            "/v1/undo",
            what=what,
            since=since,
            by=by,
            reason=reason,
            preview=preview,
            timeout=timeout,
            **self._whose(),
        )

    @checked
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with what it changed."""
        return listed(Undone, self._wire.get("/v1/undos", limit=limit, **self._whose()))

    @checked
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, timeout: Timeout = 60.0
    ) -> Undone:  # fmt: skip
        """Read all episodes here again with an installed *pack*, and replace its claims; see `MemoryScope.replay`."""
        return undone(
            self._wire, "/v1/replay", pack=pack, by=by, reason=reason, preview=preview, timeout=timeout, **self._whose()
        )

    @checked
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a wrong fact and everything derived from it; add a fact with the right *object*, if given.

        See `MemoryScope.correct`.
        """
        path = at("v1", "facts", fact, "correct")
        return undone(
            self._wire, path, object=object, by=by, reason=reason, preview=preview, timeout=timeout, **self._whose()
        )

    def _whose(self) -> Mapping[str, Any]:
        raise NotImplementedError


def undone(wire: HttpConnection, path: str, *, timeout: float, **told: Any) -> Undone:
    """Return what a server undid or replayed; a repeated request changes nothing."""
    return read(Undone, wire.post(path, {**told, "timeout": min(timeout, MOST_SECONDS)}))
