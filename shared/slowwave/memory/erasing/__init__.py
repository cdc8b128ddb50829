"""Erasure: permanent deletion of memories that a person wants forgotten, with a receipt."""

import uuid
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import SkipValidation

from slowwave.domain.arguments import Id, Limit, Name, Timeout, checked, checked_type
from slowwave.domain.erasure import Erasure, Token, Words, from_json, wanted
from slowwave.memory.erasing import work
from slowwave.memory.queries.lookup import fact_id
from slowwave.memory.verb_group import TenantVerbs, VerbGroup


class ErasingAll(TenantVerbs):
    """The verbs that delete memories of any scope of a tenant permanently."""

    @checked
    def forget(
        self, *, user: Name | None = None, session: Name | None = None, fact: Id | None = None,
        matching: Words | None = None, preview: bool = False, confirm: Token | None = None, learn_again: bool = False,
        rewrite: bool = True, timeout: Timeout = 60.0, tenant: Name | None = None,
    ) -> Erasure:  # fmt: skip
        """Erase a *user*, a *session*, a *fact* or all memories that contain the words *matching*; return the receipt.

        The method deletes episodes and all data made from these episodes: facts, vectors, summaries, graph, patterns,
        model requests, dead letters, audit texts, working memory and waiting messages. With a *fact*, the method
        deletes the whole episodes that support the fact. With *session* or *matching*, *user* limits the erasure to
        this user's memories. The ledger keeps the ids and times of its deltas, and other facts can still be rebuilt
        from the ledger. Slowwave does not learn erased facts again, unless *learn_again* is set.

        A *preview* deletes nothing; it returns the memories that would be deleted, and a token. A second call with the
        token as *confirm* deletes exactly these memories. With *rewrite*, the call also locks and rewrites tables,
        statistics and log. Without *rewrite*, call `rewrite_erased` later. To finish an interrupted erasure, repeat the
        call. Raises `Incorrect` with every problem, `NotFound` if nothing matches, `Conflict` under a legal hold, and
        `Unavailable` after *timeout* seconds if a worker holds a scope.
        """
        where = self._tenant(tenant)
        id_ = None if fact is None else fact_id(self._at(tenant), fact, where)
        return work.forget(
            self._at(tenant), where, wanted(user=user, session=session, fact=id_, matching=matching), preview=preview,
            confirm=confirm, learn_again=learn_again, rewriting=rewrite, timeout=timeout,
        )  # fmt: skip

    @checked
    def erasures(self, limit: Limit = 20, *, tenant: Name | None = None) -> list[Erasure]:
        """Return the receipts of a tenant's latest erasures, newest first."""
        return work.receipts(self._at(tenant), self._tenant(tenant), limit)

    @checked
    def rewrite_erased(self, *, tenant: Name | None = None) -> int:
        """Rewrite tables, indexes, statistics and log without erased content; return the number of finished erasures.

        The method needs the embedded server or SLOWWAVE_OWNER_URL. Without both, the method returns 0. Raises
        `Conflict` while a table is in use.
        """
        return work.rewrite_erased(self._at(tenant), self._tenant(tenant))

    @checked
    def verify_erasure(
        self, receipt: Annotated[Erasure | dict[str, Any], SkipValidation], *, tenant: Name | None = None
    ) -> bool:
        """Return whether a *receipt* was signed with the tenant's key and is unchanged.

        *receipt* may also be a JSON object.
        """
        given = receipt if isinstance(receipt, Erasure) else from_json(receipt)
        return work.verify(self._at(tenant), self._tenant(tenant), given)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Erasing(VerbGroup):
    """The verbs that delete memories permanently in one scope."""

    @checked
    def forget(
        self, *, session: Name | None = None, fact: Id | None = None, matching: Words | None = None,
        preview: bool = False, confirm: Token | None = None, learn_again: bool = False, rewrite: bool = True,
        timeout: Timeout = 60.0,
    ) -> Erasure:  # fmt: skip
        """Erase a *session*, a *fact*, all memories that contain the words *matching*, or this whole scope.

        `Memory.forget` describes the arguments. The method also deletes facts that were promoted from this scope to
        `_global`.
        """
        id_: uuid.UUID | None = None if fact is None else fact_id(self._parts, fact, self.scope.tenant)
        asked = wanted(user=None, session=session, fact=id_, matching=matching, scope=self.scope)
        return work.forget(
            self._parts, self.scope.tenant, asked, preview=preview, confirm=confirm, learn_again=learn_again,
            rewriting=rewrite, timeout=timeout,
        )  # fmt: skip
