"""Undo, replay and permanent erasure over HTTP: the verbs of a memory and of a scope."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.domain.arguments import Id, Instant, Limit, Name, Note, Timeout, checked
from slowwave.domain.erasure import Erasure, Token, Words
from slowwave.domain.undo import Undone, What
from slowwave.remote.responses import only
from slowwave.remote.verbs import RemoteVerbs, sends


class RemoteUndoingAll(RemoteVerbs):
    """The verbs that undo in a whole tenant."""

    @sends("POST /v1/undo")
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Undone:  # fmt: skip
        """Undo what was decided; return what changed. See `Memory.undo`; a server waits for a minute at most."""

    @sends("GET /v1/undos")
    def undos(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Undone]:
        """Return the latest undos of the tenant, newest first, each with what it changed."""


class RemoteUndoing(RemoteVerbs):
    """The verbs that undo or replay in one scope."""

    @sends("POST /v1/undo")
    def undo(
        self, what: What | None = None, *, since: Instant | None = None, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo what was decided in this scope; see `MemoryScope.undo`. A server waits for a minute at most."""

    @sends("GET /v1/undos")
    def undos(self, limit: Limit = 20) -> list[Undone]:
        """Return the latest undos here, newest first, each with what it changed."""

    @sends("POST /v1/replay")
    def replay(
        self, pack: Name, *, by: Name | None = None, reason: Note = "", preview: bool = False, timeout: Timeout = 60.0
    ) -> Undone:  # fmt: skip
        """Read all episodes here again with an installed *pack*, and replace its claims; see `MemoryScope.replay`."""

    @sends("POST /v1/facts/{fact}/correct")
    def correct(
        self, fact: Id, object: Name | None = None, *, by: Name | None = None, reason: Note = "",
        preview: bool = False, timeout: Timeout = 60.0,
    ) -> Undone:  # fmt: skip
        """Undo a wrong fact and everything derived from it; add a fact with the right *object*, if given.

        See `MemoryScope.correct`.
        """


class RemoteErasingAll(RemoteVerbs):
    """The verbs that delete permanently, anywhere in a tenant."""

    @sends("POST /v1/forget")
    def forget(
        self, *, user: Name | None = None, session: Name | None = None, fact: Id | None = None,
        matching: Words | None = None, preview: bool = False, confirm: Token | None = None, learn_again: bool = False,
        rewrite: bool = True, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase for good; return the receipt. See `Memory.forget`; a server waits for a minute at most."""

    @sends("GET /v1/erasures")
    def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of the latest erasures, newest first."""

    @sends("POST /v1/erasures/rewrite", key="rewritten")
    def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, statistics and log without erased content; see `Memory.rewrite_erased`."""

    @checked
    def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether a *receipt*, or its JSON object, was signed with the tenant's key and is unchanged."""
        only(tenant=tenant)
        told = asdict(receipt) if isinstance(receipt, Erasure) else receipt
        return bool(self._wire.post("/v1/erasures/verify", told)["genuine"])


class RemoteErasing(RemoteVerbs):
    """The verbs that delete permanently in one scope."""

    @sends("POST /v1/scopes/forget")
    def forget(
        self, *, session: Name | None = None, fact: Id | None = None, matching: Words | None = None,
        preview: bool = False, confirm: Token | None = None, learn_again: bool = False, rewrite: bool = True,
        timeout: Timeout = 60.0,
    ) -> Erasure:  # fmt: skip
        """Erase a session, a fact, matches of a text or all of this scope; see `MemoryScope.forget`."""
