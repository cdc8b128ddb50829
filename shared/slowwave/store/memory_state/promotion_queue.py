"""The promotion queue, which gets the facts that a transaction changed, for review or for revocation."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.job_table import PROMOTE, pack_of
from slowwave.store.direct import send
from slowwave.store.statements import sql


def queue_confirmed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue for promotion the facts of a project channel that *decisions* added or confirmed."""
    facts = {d.about if d.kind == "noop" else d.id for d in decisions if d.kind in ("add", "update", "noop")} - {None}
    if facts:
        send(connection, sql("memory_state/queue_promotions"), {"scope": scope, "facts": list(facts)})


def sources_closed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue for revocation the promotions of closed facts of *scope*, now or at the end of the fact's valid time."""
    facts = {version.fact for decision in decisions for version in decision.closes}
    if facts:
        send(
            connection,
            sql("memory_state/queue_revocations"),
            {"scope": scope, "facts": list(facts), "pack": pack_of(PROMOTE)},
        )
