"""Recollections that a conversation will likely need next: memories about its topic and about its goal."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from slowwave.core.beliefs.identity import normal
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Unavailable
from slowwave.retrieval.recall import recall
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Parts

NEAR = 2
"""The number of best memories that are also used as cues: the next question is often about a related memory."""
A_CUE = 30
"""The memories looked up for each cue: several, since many are already in the context."""
MOST = 60


def look_ahead(
    parts: Parts,
    scope: Scope,
    reach: Sequence[Scope],
    session: str,
    question: str,
    recollections: Sequence[Recollection],
) -> None:
    """Look up in the background what the session will likely need after *question*, which *recollections* answered."""
    of = Conversation(scope, session)

    def look() -> list[Recollection]:
        store, apart = Memories(parts.database), parts.embedders(reach)
        found = [
            recall(cue, reach, store=store, embedder=parts.embedder, apart=apart, limit=A_CUE, session=session)
            for cue in [question, *(one.text for one in recollections[:NEAR]), *_goal(parts, of)]
        ]
        return _merged([recollections, *found])

    parts.anticipation.expect(of, recollections, look)


def _goal(parts: Parts, of: Conversation) -> list[str]:
    """Return the conversation's goal from the cache, as a list of one text; empty without a goal."""
    try:
        goal = parts.cache.cache.entries(of, "goal")
    except Unavailable:  # without a cache, a goal cannot be set
        return []
    return [json.loads(goal[-1].text)[1]] if goal else []


def _merged(found: Iterable[Sequence[Recollection]]) -> list[Recollection]:
    """Return the memories of all look-ups, without repeated texts; the best of each look-up come first."""
    once: dict[str, Recollection] = {}
    for one in chain.from_iterable(zip_longest(*found)):
        if one is not None:
            once.setdefault(normal(one.text), one)
    return list(once.values())[:MOST]
