"""The working memory of a conversation as parts of a context: its system prompt, tools and turns."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowwave.domain.claim import Source
from slowwave.domain.context import Part, PartType
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Turn
from slowwave.errors import Unavailable
from slowwave.memory.working_memory import last_turns, text_of, turns_of
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)
NOTES: Mapping[str, PartType] = {"system_prompt": "system", "tools": "tools"}
"""The working memory values that are part of every context, by name."""


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """A conversation's working memory: the notes for every context, and the turns, oldest first."""

    notes: Sequence[Part] = ()
    turns: Sequence[Part] = ()


def conversation_memory(parts: Parts, scope: Scope, session: str) -> ConversationMemory:
    """Return the working memory of a session; without a cache, its last stored turns."""
    try:
        turns = turns_of(parts, scope, session)
    except Unavailable:  # no cache is configured
        return ConversationMemory(turns=_turn_parts(scope, last_turns(parts, scope, session)))
    try:
        values = turns.cache.values(turns.of)
    except Unavailable as error:
        _LOG.warning("this context has no system prompt and no tools: %s", error.message)
        values = {}
    notes = [Part(kind, text_of(json.loads(values[name]))) for name, kind in NOTES.items() if name in values]
    return ConversationMemory(notes, _turn_parts(scope, turns.recent()))


def _turn_parts(scope: Scope, turns: Sequence[Turn]) -> list[Part]:
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
    """Return the source of a turn; empty while it waits in an outbox."""
    if turn.position is None:
        return ()
    return (Source(scope.episode_id(turn.id), turn.id, turn.position, 0, len(turn.content)),)
