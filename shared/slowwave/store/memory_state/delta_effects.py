"""Changes of memory states that follow from deltas: new facts get a state, and confirmed facts a higher frequency."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.domain.claim import INFERRED, Claim
from slowwave.domain.standing import Standing
from slowwave.store.memory_state import capacity, entities, standing
from slowwave.store.memory_state.standing import Key
from slowwave.store.statements import execute
from slowwave.store.transaction import policy_of


def lock(
    connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision], again: Iterable[uuid.UUID]
) -> dict[Key, Standing]:
    """Lock the states of all facts and entities that *decisions* affect, and of the facts in *again*, in a fixed order.

    Returns the locked states.
    """
    facts = {*again, *(one.about for one in decisions), *(v.fact for one in decisions for v in one.closes)}
    of_entities = entities.of(connection, scope, decisions)
    return standing.lock(connection, {(scope, fact) for fact in facts if fact is not None} | of_entities)


def new(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision], *, now: datetime) -> None:
    """Create the state of every fact that *decisions* add, with a tier and due times."""
    entry = policy_of(connection).tiers.entry
    added = [decision for decision in decisions if decision.kind in ("add", "update")]
    standing.create(
        connection,
        {
            (scope, decision.id): Standing(
                kind="semantic", source=_source(decision.claim), tier=entry, base=decision.claim.confidence, created=now
            )
            for decision in added
        },
    )
    capacity.entered(connection, [(scope, entry)] if added else [], now=now)


def _source(claim: Claim) -> str:
    if claim.form == "statement":
        return "statement"
    return "inferred" if claim.certainty in INFERRED else "stated"


def confirmed(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    states: Mapping[Key, Standing],
    *,
    now: datetime,
) -> dict[uuid.UUID, int]:
    """Raise the frequency of each fact by the number of new episodes that confirm it; return these numbers by fact.

    *states* are the states that `lock` returned. States that were created since then are read again.
    """
    pairs = {
        (decision.about, decision.claim.source.episode): decision.claim.source.own_position
        for decision in decisions
        if decision.kind == "noop" and decision.about is not None
    }
    if not pairs:
        return {}
    rows = execute(
        connection,
        "memory_state/count_confirmations",
        scope=scope,
        facts=[fact for fact, _ in pairs],
        episodes=[episode for _, episode in pairs],
        positions=list(pairs.values()),
        ids=[decision.id for decision in decisions],
    )
    more = {(scope, fact): count for fact, count in rows}
    if not more:
        return {}
    made = more.keys() - states.keys()
    stands = {**states, **(standing.lock(connection, made) if made else {})}
    raised = {key: stands[key] for key in sorted(more.keys() & stands.keys())}
    standing.write(
        connection,
        {key: replace(one, frequency=one.frequency + more[key], reinforced=now) for key, one in raised.items()},
        now=now,
    )
    return {fact: count for (_, fact), count in more.items()}
