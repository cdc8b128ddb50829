"""Claims made by hand, as about the entities of a graph: they cite an episode, and are folded like any other claim."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.core.graph.edges import names_of
from slowwave.domain.claim import Claim
from slowwave.domain.scope import Scope
from slowwave.ports import Embedder
from slowwave.store.beliefs import held_facts
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.embedding_spaces import space_number
from slowwave.store.policy import registry_of
from slowwave.store.work_queue import leases

PACK = "_graph"


def apply_claims(
    connection: Connection,
    scope: Scope,
    claims: Sequence[Claim],
    embedder: Embedder,
    *,
    pack: str = PACK,
    reason: str = "",
) -> list[uuid.UUID]:
    """Decide about *claims* and apply the decisions; return the facts that are then held for them.

    Their deltas say for which *reason*, if one is given.

    A repeated claim confirms its fact, and its edge gains weight. The same claim from the same episode changes nothing.
    Raises `Conflict` while a worker holds the scope.
    """
    after, registry = leases.take_by_hand(connection, scope), registry_of(connection)
    canonical = [registry.canonical(claim) for claim in claims]
    fold = replace(held_facts.fold_over(connection, scope.id, pack, registry.reach(canonical)), predicates=registry)
    decisions = [decision for claim in canonical for decision in fold.decide(claim)]
    known = _known(connection, [decision.id for decision in decisions])
    fresh = [_because(decision, reason) for decision in decisions if decision.id not in known]
    new = [decision for decision in fresh if decision.kind in ("add", "update")]
    names = names_of((decision.opens[0] for decision in new), registry)
    vectors = embedder.embed([*(decision.opens[0].text for decision in new), *names])
    apply_decisions(
        connection,
        scope.id,
        fresh,
        run=None,
        pack=pack,
        after=after,
        vectors={decision.id: vector for decision, vector in zip(new, vectors, strict=False) if vector.any()},
        names={name: vector for name, vector in zip(names, vectors[len(new) :], strict=True) if vector.any()},
        space=space_number(connection, embedder.space, embedder.dimensions),
    )
    about = {decision.id: decision.about for decision in decisions}
    return [fact for id_, said in about.items() if (fact := said or id_)]


def _because(decision: Decision, reason: str) -> Decision:
    return replace(decision, reason=f"{reason} ({decision.reason})") if reason else decision


def _known(connection: Connection, ids: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of *ids* that are deltas already. Served by the primary key deltas_pkey."""
    rows = connection.exec_driver_sql("SELECT id FROM deltas WHERE id = ANY(%(ids)s::uuid[])", {"ids": list(ids)})
    return set(rows.scalars())
