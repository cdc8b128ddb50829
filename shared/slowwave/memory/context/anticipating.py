"""Recollections that a conversation will likely need next: more of what it is about, and of what it is after."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from slowwave.core.beliefs.identity import normal
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.working import Conversation
from slowwave.errors import Unavailable
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Parts

NEAR = 2
"""So many of the best memories that were told are cues, too: what belongs to them is asked for next."""
A_CUE = 30
"""Memories that are looked up for each cue, of which many were just told."""
MOST = 60


def look_ahead(
    parts: Parts, scope: Scope, reach: Sequence[Scope], session: str, question: str, told: Sequence[Recollection]
) -> None:
    """Have looked up, off the caller's path, what the session will likely need after *question* was *told* this."""
    of = Conversation(scope, session)

    def look() -> list[Recollection]:
        store, apart = Memories(parts.database), parts.embedders(reach)
        found = [
            recall(cue, reach, store=store, embedder=parts.embedder, apart=apart, limit=A_CUE, session=session)
            for cue in [question, *(one.text for one in told[:NEAR]), *_goal(parts, of)]
        ]
        return _merged([told, *found])

    parts.anticipation.expect(of, told, look)


def _goal(parts: Parts, of: Conversation) -> list[str]:
    """Return what the conversation is after, as far as that was said and the cache knows."""
    try:
        goal = parts.cache.cache.entries(of, "goal")
    except Unavailable:  # without a cache nobody has named one
        return []
    return [json.loads(goal[-1].text)[1]] if goal else []


def _merged(found: Iterable[Sequence[Recollection]]) -> list[Recollection]:
    """Return each memory once, whatever it says once, the best of each look-up first."""
    once: dict[str, Recollection] = {}
    for one in chain.from_iterable(zip_longest(*found)):
        if one is not None:
            once.setdefault(normal(one.text), one)
    return list(once.values())[:MOST]
