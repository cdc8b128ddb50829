"""Facts about a user, from which a profile is made."""

import uuid
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.store.beliefs.facts import facts
from slowwave.store.beliefs.names import names_of_users
from slowwave.store.memory_state.strengths import standings
from slowwave.store.statements import sql


def of_user(connection: Connection, scopes: Sequence[Scope], *, most: int) -> list[tuple[Fact, Mapping[str, float]]]:
    """Return the *most* recent typed facts believed now about the user of *scopes*.

    Each comes with the measures that rank it: confidence, strength and frequency.
    """
    ids = [scope.id for scope in scopes]
    called = names_of_users(connection, ids)
    rows = connection.exec_driver_sql(
        sql("queries/profile"), {"scopes": ids, "called": [called.get(id_) for id_ in ids], "most": most}
    )
    named: list[uuid.UUID] = list(rows.scalars())
    held = {fact.id: fact for fact in facts(connection, ids, named=named)}
    known = standings(connection, [(fact.scope.id, fact.id) for fact in held.values()])
    return [(fact, _reasons(fact, known.get(fact.id))) for fact in held.values()]


def _reasons(fact: Fact, stands: Standing | None) -> Mapping[str, float]:
    if stands is None or stands.strength is None:
        return {"confidence": fact.confidence, "strength": fact.confidence, "frequency": 0.0}
    return {"confidence": fact.confidence, "strength": stands.strength, "frequency": float(stands.frequency)}
