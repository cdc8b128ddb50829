"""Fusion by ranks: places in several orders are added up, whatever the numbers were that made them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.recall.candidate import Ranked

DAMPING = 60
"""Taken onto each place, so that the first few of an order differ little (Cormack, Clarke and Büttcher 2009)."""


def reciprocal(orders: Sequence[Sequence[uuid.UUID]]) -> dict[uuid.UUID, float]:
    """Return what each memory of some *orders* has by its places in them, in (0, 1]: 1.0 for the first of all.

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
    """Return memories by meaning and by words, by their *reasons*; what has nothing of either stands in no order."""
    return [
        sorted((id_ for id_, said in reasons.items() if said[by] > 0), key=lambda id_: (-reasons[id_][by], id_))
        for by in ("similarity", "keyword")
    ]


def by_ranks(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Return *ranked* with scores that come of their places by meaning and by words alone, named `ranks`."""
    scores = reciprocal(orders_of({one.candidate.id: one.reasons for one in ranked}))
    found = ((one, scores.get(one.candidate.id, 0.0)) for one in ranked)
    return [replace(one, score=score, reasons={**one.reasons, "ranks": score}) for one, score in found]
