"""Parts that are in mind of a conversation: its system prompt, its tools, its turns."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.claim import Source
from slowwave.domain.context import Part, PartType
from slowwave.domain.scope import Scope
from slowwave.domain.working import Turn
from slowwave.errors import Unavailable
from slowwave.memory.working import last_turns, text_of, turns_of
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)
NOTES: Mapping[str, PartType] = {"system_prompt": "system", "tools": "tools"}
"""The values of a working memory that stand in every context, by their names."""


@dataclass(frozen=True, slots=True)
class Mind:
    """The mind of a conversation: the notes that stand in every context, and the turns, oldest first."""

    notes: Sequence[Part] = ()
    turns: Sequence[Part] = ()


def mind_of(parts: Parts, scope: Scope, session: str) -> Mind:
    """Return what is in mind of a session; where there is no cache, its last turns as they were stored."""
    try:
        turns = turns_of(parts, scope, session)
    except Unavailable:  # no cache was ever named here
        return Mind(turns=_said(scope, last_turns(parts, scope, session)))
    try:
        values = turns.cache.values(turns.of)
    except Unavailable as error:
        _LOG.warning("a context is made without system prompt and tools: %s", error.message)
        values = {}
    notes = [Part(kind, text_of(json.loads(values[name]))) for name, kind in NOTES.items() if name in values]
    return Mind(notes, _said(scope, turns.recent()))


def _said(scope: Scope, turns: Sequence[Turn]) -> list[Part]:
    return [
        Part(
            type="turn",
            content=turn.content,
            role=turn.episode.role,
            sources=_sources(scope, turn),
            id=scope.episode_id(turn.id),
            scope=scope,
            session=turn.episode.session,
            occurred=turn.episode.occurred_at,
        )
        for turn in turns
    ]


def _sources(scope: Scope, turn: Turn) -> Sequence[Source]:
    """Return where a turn is stored; nothing while it waits in an outbox."""
    if turn.position is None:
        return ()
    return (Source(scope.episode_id(turn.id), turn.id, turn.position, 0, len(turn.content)),)
