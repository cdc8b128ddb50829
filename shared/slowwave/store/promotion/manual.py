"""Promotion of one fact by a person: the same path as in a run, without thresholds, in one transaction."""

import uuid

from sqlalchemy import Connection

from slowwave.core.promotion import NAMESPACE, promote, promoting
from slowwave.core.revocation import Settlement
from slowwave.domain.job_table import PROMOTE
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import FactConflictError, Incorrect, NotFound
from slowwave.store import clock
from slowwave.store.beliefs import held_facts
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.promotion import promotions
from slowwave.store.work_queue import leases

RULE = f"{PROMOTE}/by_hand"


def promote_by_hand(
    connection: Connection, fact: uuid.UUID, *, tenant: str, reason: str, scope: Scope | None = None
) -> uuid.UUID:
    """Promote *fact* to `_global`; return the fact there.

    Promoting a promoted fact changes nothing. Raises `NotFound` if the fact does not exist (in *scope*, if given);
    `Incorrect` for a fact of `_global`; `FactConflictError` if the fact is not believed and valid now, or cannot be
    held in `_global`; and `Conflict` while a worker holds `_global`.
    """
    origin = _origin(connection, tenant, fact)
    if origin is None or (scope is not None and scope != origin):
        raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of what is believed")
    if origin.channel == GLOBAL_CHANNEL:
        raise Incorrect("this fact is known everywhere already", hint="promote facts of a project channel")
    target = Scope(origin.tenant, origin.user, origin.agent)
    after = leases.take_by_hand(connection, target)
    now = clock.now(connection)

    key = (origin.id, fact)
    found, promoted = promotions.candidates(connection, target.id, [key], now)
    if key in promoted:
        return promoted[key]
    if key not in found:
        raise FactConflictError(f"the fact {fact} is no longer believed, or not valid now", hint="read the facts again")
    candidate = found[key]
    fold = promoting(target.id, held_facts.fold_over(connection, target.id, NAMESPACE, [candidate.claim(RULE)]))
    text = f"promoted from {candidate.channel} by hand: {reason}"
    decided = promote(fold, candidate, rule=RULE, reason=text, policy={"by_hand": reason}, now=now)
    if decided is None:
        raise FactConflictError(
            "a newer fact is believed everywhere, or this one was forgotten there", hint="look at the facts of _global"
        )

    decision, promotion = decided
    apply_decisions(
        connection, target.id, [decision], run=None, pack=NAMESPACE, after=after, vectors={}, space=0
    )  # fmt: skip
    promotions.settle(connection, target.id, Settlement([promotion]), run=None)
    return promotion.fact


def _origin(connection: Connection, tenant: str, fact: uuid.UUID) -> Scope | None:
    """Return the scope of a fact. Served by facts_of_delta and scope_heads_pkey."""
    row = connection.exec_driver_sql(
        "SELECT h.user_id, h.agent, h.channel FROM facts f JOIN scope_heads h USING (scope) WHERE f.fact = %(fact)s "
        "LIMIT 1",
        {"fact": fact},
    ).one_or_none()
    return None if row is None else Scope(tenant, row.user_id, row.agent, row.channel)
