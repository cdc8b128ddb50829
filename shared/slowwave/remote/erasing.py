"""Permanent erasure over HTTP: the verbs of a memory and of a scope."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.domain.arguments import Id, Limit, Name, Timeout, checked
from slowwave.domain.erasure.request import Erasure, Token, Words
from slowwave.remote.http import HttpConnection
from slowwave.remote.responses import listed, only, read
from slowwave.remote.undoing import MOST_SECONDS


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
