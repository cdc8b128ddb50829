"""The parts of a context: working memory, the session's summary, and the graph."""

import json
import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from slowwave.domain.claim import Source
from slowwave.domain.context import Part, PartType
from slowwave.domain.graph import MemoryGraph
from slowwave.domain.queries.summary import SUMMARY_TOKENS, resting
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Turn
from slowwave.errors import NotFound, Unavailable
from slowwave.memory.graph import Graph
from slowwave.memory.summaries import summary
from slowwave.memory.working_memory import last_turns, text_of, turns_of
from slowwave.retrieval.reach import Reads
from slowwave.store.beliefs.facts import facts
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)
NOTES: Mapping[str, PartType] = {"system_prompt": "system", "tools": "tools"}
"""The values in working memory that are part of every context, by name, with the types of their parts."""
SHARE = 4
"""The divisor of a context's tokens: the summary of a small context gets a quarter of the tokens."""
ENTITIES = 5


@dataclass(frozen=True, slots=True)
class ConversationMemory:
    """A conversation's working memory: the notes for every context, and the turns, oldest first."""

    notes: Sequence[Part] = ()
    turns: Sequence[Part] = ()


def conversation_memory(parts: Parts, scope: Scope, session: str) -> ConversationMemory:
    """Return the working memory of a session. Without a cache, return the session's last stored turns."""
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
    """Return the source of a turn; empty while the turn waits in an outbox."""
    if turn.position is None:
        return ()
    return (Source(scope.episode_id(turn.id), turn.id, turn.position, 0, len(turn.content)),)


def summary_part(
    parts: Parts, scopes: Sequence[Scope], session: str, max_tokens: int, in_mind: Collection[uuid.UUID | None]
) -> Part | None:
    """Return the summary of a session, without lines based on the episodes *in_mind*.

    Returns None if there is no summary, or no line is left.
    """
    most = max(1, min(SUMMARY_TOKENS, max_tokens // SHARE))
    try:
        conversation_summary = summary(parts, scopes, session, max_tokens=most, session=session)
    except NotFound:
        return None
    lines = [
        line
        for line in conversation_summary.lines
        if not {source.episode for source in resting([line])} <= set(in_mind)
    ]
    if not lines:
        return None
    return Part(
        "summary",
        "\n".join(line.text for line in lines),
        sources=resting(lines),
        id=conversation_summary.fact,
        scope=conversation_summary.scope,
        session=session,
        occurred=conversation_summary.at,
    )


def includes_graph(wanted: bool | None) -> bool:
    """Return whether to include the graph: *wanted*, or if *wanted* is None, whether the extra `graph` is installed."""
    return find_spec("networkx") is not None if wanted is None else wanted


def graphs(
    parts: Parts, scope: Scope, reads: Reads, reach: Sequence[Scope], question: str, session: str | None
) -> list[Part]:
    """Return a part with the entities around *question*, followed by smaller parts with fewer entities.

    The list is empty if no entity matches.
    """
    graph = Graph(parts, scope, reads)
    around = graph.query(question, top_k=ENTITIES, session=session)
    with parts.database.tenant(scope.tenant) as connection:
        edge_facts = facts(connection, [one.id for one in reach], named=[edge.fact for edge in around.edges])
    sources = {fact.id: fact.sources for fact in edge_facts}

    nodes = list(around.nodes.items())
    fewer = [MemoryGraph(dict(nodes[:most]), around.edges, around.version) for most in range(len(nodes), 0, -1)]
    return [_part(graph.format_as_context(one), one, sources, scope) for one in fewer]


def _part(content: str, shown: MemoryGraph, sources: Mapping[uuid.UUID, Sequence[Source]], scope: Scope) -> Part:
    """Return the part that describes *shown*. The reasons of the part are the number of mentions of each entity."""
    edges = [edge for edge in shown.edges if {edge.source, edge.target} <= set(shown.nodes)]
    return Part(
        "graph",
        content,
        reasons={node.label: float(node.frequency) for node in shown.nodes.values()},
        sources=tuple(dict.fromkeys(source for edge in edges for source in sources.get(edge.fact, ()))),
        scope=scope,
    )
