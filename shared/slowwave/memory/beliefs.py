"""Facts by id: explanation, promotion, reviews, and the deltas that made a fact."""

import uuid
from datetime import datetime
from operator import attrgetter
from typing import Any

from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind, delta_id
from slowwave.domain.explanation import Explanation
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.inference.embedders.vectors import embed_before_transaction
from slowwave.memory.queries.access_tracking import audited_lookup
from slowwave.memory.queries.lookup import fact_id
from slowwave.ports import Embedder
from slowwave.store.beliefs import deltas, reviews
from slowwave.store.beliefs.facts import why as stored_why
from slowwave.store.promotion import promote_by_hand
from slowwave.wiring import Parts


def why(
    parts: Parts, fact: uuid.UUID | str, *, tenant: str, scope: Scope | None = None, session: str | None = None
) -> Explanation:
    """Return why a fact is or was believed, with the original words. Raises `NotFound` for an unknown fact."""
    id_ = fact_id(parts, fact, tenant)

    def read(connection: Any) -> list[Explanation]:
        found = stored_why(connection, id_)
        return [] if found is None else [found]

    explained = audited_lookup(
        parts, tenant, read, kind="semantic", scope=scope, verb="why", session=session, of=attrgetter("fact")
    )
    if not explained:
        raise NotFound(f"there is no fact {fact}", hint="`slowwave facts` lists the ids of facts")
    return explained[0]


def promote(parts: Parts, fact: uuid.UUID | str, reason: str, *, tenant: str, scope: Scope | None) -> uuid.UUID:
    """Promote a fact of *scope*, or of any project channel, to `_global`; see `MemoryScope.promote`."""
    id_ = fact_id(parts, fact, tenant)
    with (
        parts.database.tenant(tenant) as connection,
        parts.quotas.counting(connection, tenant, "" if scope is None else scope.user),
    ):
        return promote_by_hand(connection, id_, tenant=tenant, reason=reason, scope=scope)


def applied(
    parts: Parts, tenant: str, scope: uuid.UUID | None, *, run: int | None, since: datetime | None, kind: Kind | None,
    after: uuid.UUID | str | None, limit: int,
) -> list[AppliedDelta]:  # fmt: skip
    """Return the deltas of *scope*, or of the whole tenant; see `Memory.deltas`."""
    scopes = None if scope is None else [scope]
    after_delta = delta_id(after)
    with parts.database.tenant(tenant) as connection:
        return deltas.applied(
            connection, tenant, scopes, run=run, since=since, kind=kind, after=after_delta, most=limit
        )  # fmt: skip


def settled_until(parts: Parts, tenant: str) -> datetime:
    """Return the time before which the deltas of *tenant* are final. An open transaction may add only later deltas."""
    with parts.database.tenant(tenant) as connection:
        return deltas.horizon(connection)


def settled(
    parts: Parts, tenant: str, scope: uuid.UUID | None, *, since: datetime | None, kind: Kind | None,
    after: uuid.UUID | None, limit: int,
) -> list[AppliedDelta]:  # fmt: skip
    """Return the first *limit* deltas whose order is final.

    The result has only deltas applied at *since* or later, and after the delta with the id *after*.
    """
    scopes = None if scope is None else [scope]
    with parts.database.tenant(tenant) as connection:
        until = deltas.horizon(connection)
        return deltas.applied(
            connection, tenant, scopes, since=since, kind=kind, after=after, before=until, most=limit
        )  # fmt: skip


def review(
    parts: Parts, tenant: str, scope: Scope | None, *, number: int | None = None, after: int | None = None,
    limit: int | None = None,
) -> list[Review]:  # fmt: skip
    """Return the reviews of *scope* or of the whole tenant, or the review with *number*; see `Memory.review`."""
    return parts.database.read(
        tenant, lambda connection: reviews.waiting(connection, scope, number=number, after=after or 0, most=limit)
    )


def decide(
    parts: Parts, tenant: str, scope: Scope | None, number: int, verdict: Verdict, *, by: str, object: str | None,
    replaces: uuid.UUID | str | None,
) -> uuid.UUID:  # fmt: skip
    """Apply a person's decision about a review; see `Memory.decide`."""
    if (verdict == "edit") != (object is not None):
        raise Incorrect("object: is required for the verdict edit, and only for it", hint="give the right object")
    old = None if replaces is None else fact_id(parts, replaces, tenant)

    there = _reviewed(parts, tenant, scope, number)

    def apply(embedder: Embedder) -> uuid.UUID:
        with parts.quotas.writing(there) as connection:
            return reviews.decide(
                connection, number, verdict, by=by, scope=scope, object=object, replaces=old,
                embedder=embedder, predicates=parts.predicates, masking=parts.masking,
            )  # fmt: skip

    return embed_before_transaction(parts.embedder_for(there), apply)


def _reviewed(parts: Parts, tenant: str, scope: Scope | None, number: int) -> Scope:
    """Return the scope of a review. Raises `NotFound` if the review is not open, or not in *scope*."""
    found = next(iter(review(parts, tenant, scope, number=number)), None)
    if found is None:
        raise NotFound(f"there is no review {number}", hint="`slowwave review` lists the open reviews")
    return found.scope
