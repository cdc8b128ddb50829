"""The promotion queue: changed facts to check for promotion, and promotions to check for revocation."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.job_table import PROMOTE, pack_of
from slowwave.store.direct import send
from slowwave.store.statements import sql


def queue_confirmed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue facts that *decisions* added or confirmed, for a check by the promotion job; skip facts of `_global`."""
    facts = {d.about if d.kind == "noop" else d.id for d in decisions if d.kind in ("add", "update", "noop")} - {None}
    if facts:
        send(connection, sql("memory_state/queue_promotions"), {"scope": scope, "facts": list(facts)})


def sources_closed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue the promotions whose source facts *decisions* ended, for a check by the promotion job.

    The check is due at once, or when the remaining valid time of the source fact ends.
    """
    facts = {version.fact for decision in decisions for version in decision.closes}
    if facts:
        send(
            connection,
            sql("memory_state/queue_revocations"),
            {"scope": scope, "facts": list(facts), "pack": pack_of(PROMOTE)},
        )
