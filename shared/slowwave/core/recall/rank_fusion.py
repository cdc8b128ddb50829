"""Fusion by ranks: adds up a memory's ranks in several orders, whatever the scores behind them."""

import uuid
from collections.abc import Mapping, Sequence

import numpy as np

from slowwave.core.recall.candidate import Scored

DAMPING = 60
"""Added to each rank, so that the first few differ little (Cormack, Clarke and Büttcher 2009)."""


def reciprocal(orders: Sequence[Sequence[uuid.UUID]]) -> dict[uuid.UUID, float]:
    """Return the score of each memory from its ranks in *orders*, in (0, 1]: 1.0 for the first of all.

    >>> one, two = uuid.UUID(int=1), uuid.UUID(int=2)
    >>> [round(value, 3) for value in reciprocal([[one, two], [one]]).values()]
    [1.0, 0.492]
    """
    found: dict[uuid.UUID, float] = {}
    for order in orders:
        for place, memory in enumerate(order, 1):
            found[memory] = found.get(memory, 0.0) + (DAMPING + 1) / (DAMPING + place) / len(orders)
    return found


def orders_of(reasons: Mapping[uuid.UUID, Mapping[str, float]]) -> list[list[uuid.UUID]]:
    """Return memories ordered by similarity and by words, from their *reasons*; an order omits memories that score 0 in
    it.
    """
    return [
        sorted((id_ for id_, said in reasons.items() if said[by] > 0), key=lambda id_: (-reasons[id_][by], id_))
        for by in ("similarity", "keyword")
    ]


def by_ranks(scored: Scored) -> Scored:
    """Return *scored* with scores from the ranks by similarity and by words alone; the reason is `ranks`."""
    measures = zip(scored.reasons["similarity"], scored.reasons["keyword"], strict=True)
    found = {
        one.id: {"similarity": similarity or 0.0, "keyword": keyword or 0.0}
        for one, (similarity, keyword) in zip(scored.candidates, measures, strict=True)
    }
    ranks = reciprocal(orders_of(found))
    scores = [ranks.get(one.id, 0.0) for one in scored.candidates]
    return scored.then(np.array(scores), {"ranks": scores})
