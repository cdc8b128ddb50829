"""Trees over summaries, felled where a leaf must go: in the transaction that takes the leaf."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.store.statements import sql


def withdrawn(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Fell what stands over the summaries that *decisions* withdraw or make others forget; another tree is asked for.

    One that another summary takes the place of stays where it is until the tree is grown anew.
    """
    gone = [
        version.fact
        for decision in decisions
        if decision.kind == "delete"
        for version in decision.closes
        if version.predicate == SUMMARY
    ]
    if gone:
        connection.exec_driver_sql(sql("summaries/silence"), {"scope": scope, "facts": gone})
        _fell(connection, [scope] * len(gone), gone)


def put_away(connection: Connection, conversations: Sequence[tuple[uuid.UUID, str]]) -> None:
    """Fell what stands over the summaries of *conversations*, by scope and session, or let what came back join it."""
    columns = list(zip(*conversations, strict=True)) or [(), ()]
    found = connection.exec_driver_sql(
        sql("standing/summaries_of"), {"scopes": list(columns[0]), "sessions": list(columns[1])}
    ).all()
    if found:
        _fell(connection, [row.scope for row in found], [row.fact for row in found])


def _fell(connection: Connection, scopes: Sequence[uuid.UUID], leaves: Sequence[uuid.UUID]) -> None:
    connection.exec_driver_sql(
        sql("standing/fell"), {"scopes": list(scopes), "leaves": list(leaves), "pack": pack_of(GROW)}
    )
