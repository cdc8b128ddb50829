"""Correction of a wrong fact: its claims are undone, and the right fact is added with the same source."""

import uuid
from dataclasses import replace

from slowwave.domain.scope import Scope
from slowwave.domain.undo import Undone
from slowwave.inference.embedders.before_transaction import embed_before_transaction
from slowwave.memory.queries.lookup import fact_id
from slowwave.memory.undoing.work import ordered
from slowwave.ports import Embedder
from slowwave.store.undo.correcting import right_claim, state_right, wrong_fact
from slowwave.wiring import Parts


def correct(
    parts: Parts,
    scope: Scope,
    fact: uuid.UUID | str,
    object_: str | None,
    *,
    by: str | None,
    reason: str,
    preview: bool,
    timeout: float,
) -> Undone:
    """Undo a fact, and add the right fact, if *object_* is given; see `MemoryScope.correct`."""
    id_ = fact_id(parts, fact, scope.tenant)
    with parts.database.tenant(scope.tenant) as connection:
        claim = None if object_ is None else right_claim(connection, scope, id_, object_)
    done = ordered(
        parts, scope.tenant, lambda connection: wrong_fact(connection, scope, id_), by=by, reason=reason,
        preview=preview, timeout=timeout,
    )  # fmt: skip
    if claim is None or preview or done.id is None:
        return done

    def state(embedder: Embedder) -> uuid.UUID | None:
        with parts.database.tenant(scope.tenant) as connection:
            return state_right(connection, scope, claim, done, embedder)

    return replace(done, corrected=embed_before_transaction(parts.embedder_for(scope), state))
