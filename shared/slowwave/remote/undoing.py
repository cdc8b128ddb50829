"""Undo, replay and permanent erasure over HTTP: the verbs of a memory and of a scope."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked
from slowwave.domain.erasure import Erasure, Token, Words
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


class RemoteErasingAll:
    """The verbs that delete permanently, anywhere in a tenant."""

    _wire: HttpConnection

    @checked
    def forget(
        self, *, user: Name | None = None, session: Name | None = None, fact: Id | None = None,
        matching: Words | None = None, preview: bool = False, confirm: Token | None = None, learn_again: bool = False,
        rewrite: bool = True, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase for good; return the receipt. See `Memory.forget`; a server waits for a minute at most."""
        only(tenant=tenant)
        fields = {
            "user": user, "session": session, "fact": fact, "matching": matching, "preview": preview,
            "confirm": confirm, "learn_again": learn_again, "rewrite": rewrite, "timeout": min(timeout, MOST_SECONDS),
        }  # fmt: skip
        return read(Erasure, self._wire.post("/v1/forget", fields))

    @checked
    def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of the latest erasures, newest first."""
        only(tenant=tenant)
        return listed(Erasure, self._wire.get("/v1/erasures", limit=limit))

    @checked
    def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, statistics and log without erased content; see `Memory.rewrite_erased`."""
        only(tenant=tenant)
        return int(self._wire.post("/v1/erasures/rewrite", {})["rewritten"])

    @checked
    def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether a *receipt*, or its JSON object, was signed with the tenant's key and is unchanged."""
        only(tenant=tenant)
        told = asdict(receipt) if isinstance(receipt, Erasure) else receipt
        return bool(self._wire.post("/v1/erasures/verify", told)["genuine"])


class RemoteErasing:
    """The verbs that delete permanently in one scope."""

    _wire: HttpConnection

    @checked
    def forget(
        self, *, session: Name | None = None, fact: Id | None = None, matching: Words | None = None,
        preview: bool = False, confirm: Token | None = None, learn_again: bool = False, rewrite: bool = True,
        timeout: Timeout = 60.0,
    ) -> Erasure:  # fmt: skip
        """Erase a session, a fact, matches of a text or all of this scope; see `MemoryScope.forget`."""
        fields = {
            "session": session, "fact": fact, "matching": matching, "preview": preview, "confirm": confirm,
            "learn_again": learn_again, "rewrite": rewrite, "timeout": min(timeout, MOST_SECONDS), **self._whose(),
        }  # fmt: skip
        return read(Erasure, self._wire.post("/v1/scopes/forget", fields))

    def _whose(self) -> Mapping[str, Any]:
        raise NotImplementedError
