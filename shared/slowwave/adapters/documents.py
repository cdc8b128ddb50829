"""Grampus's own names for what is remembered of a user: each awaits a verb of `AsyncMemory`, and decides nothing."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from slowwave.brief import brief
from slowwave.core.graph.walking import as_context
from slowwave.core.recall.routing import route
from slowwave.core.segments import SemanticShiftEvent
from slowwave.domain.episode import Item
from slowwave.domain.graph import MemoryGraph
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.recollection import Recollection
from slowwave.domain.run import Report
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect
from slowwave.memory.asynchronous import AsyncMemory, AsyncMemoryScope
from slowwave.memory.face import parts_of
from slowwave.memory.graph_builder import GraphBuilder as Builder
from slowwave.ports import Embedder

USER = "default"
"""Whose memory it is: these names know agents alone."""
Found = MemoryGraph | Sequence[Recollection] | Sequence[RememberedEpisode]


class Retriever(Protocol):
    """Whatever finds memories like a text."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the *top_k* best."""


class Recent(Protocol):
    """Whatever knows the recent episodes."""

    async def recent(self, limit: int = 5) -> list[RememberedEpisode]:
        """Return the *limit* newest, the newest first."""


class GraphBuilder:
    """One event graph a session, in memory, by the embedder *embedding_service*; see `slowwave.GraphBuilder`."""

    def __init__(self, embedding_service: Embedder | None = None) -> None:
        self._builder = Builder(embedding_service)

    async def add(self, event: Item, *, agent_id: str = "default") -> SemanticShiftEvent | None:
        """Put *event* at the end of its session's graph; return the shift it is, if it is one."""
        return await asyncio.to_thread(self._builder.add, event, agent=agent_id)

    def __repr__(self) -> str:
        return brief(self, repr(self._builder))


class _Stored:
    """The store of one *user*: a memory."""

    def __init__(self, state_store: AsyncMemory, embedding_service: Embedder | None, user: str) -> None:
        self._memory, self._user = state_store, user
        if embedding_service is not None and embedding_service.space != (own := parts_of(state_store).embedder.space):
            raise Incorrect(
                f"embedding_service: the memory answers in the space {own!r}, not in {embedding_service.space!r}",
                hint="hand over the memory's embedder or None; SLOWWAVE_EMBEDDER chooses another for all of it",
            )

    def of(self, agent_id: str) -> AsyncMemoryScope:
        """Return the memory that an agent has of the user."""
        return self._memory.scope(self._user, agent=agent_id)

    def __repr__(self) -> str:
        return brief(self, self._user)


class SemanticConsolidator(_Stored):
    """The graph of what is known, by agent. *state_store* is a memory; embedder and model are that memory's own.

    Runs read with the model that the settings name, in whatever process: None, or that memory's provider, is taken.
    """

    def __init__(
        self, state_store: AsyncMemory, embedding_service: Embedder | None = None, model_client: object = None, *,
        user: str = USER,
    ) -> None:  # fmt: skip
        super().__init__(state_store, embedding_service, user)
        if model_client is not None and model_client is not parts_of(state_store).provider:
            raise Incorrect(
                "model_client: runs read with the model of the settings, in whatever process they are",
                hint="hand over None, and name the model in SLOWWAVE_MODEL",
            )

    async def load_graph(self, agent_id: str) -> MemoryGraph:
        """Return the graph of an agent."""
        return await self.of(agent_id).graph.load()

    async def consolidate(self, agent_id: str) -> list[Report]:
        """Turn everything pending of an agent into facts and their graph; return how each run ended."""
        return await self.of(agent_id).consolidate()


class GraphRetriever:
    """A retriever from the graph of a *consolidator*: what it knows around a question."""

    def __init__(self, consolidator: SemanticConsolidator, embedding_service: Embedder | None = None) -> None:
        _Stored(consolidator._memory, embedding_service, consolidator._user)
        self._consolidator = consolidator

    async def query(self, agent_id: str, text: str, top_k: int = 5) -> MemoryGraph:
        """Return the *top_k* most important entities around what *text* names; empty where nothing is named."""
        return await self._consolidator.of(agent_id).graph.query(text, top_k=top_k)

    def format_as_context(self, result: MemoryGraph) -> str:
        """Return *result* as lines for a prompt, core concepts marked as such; nothing where it is empty."""
        return as_context(result.nodes.values())

    def __repr__(self) -> str:
        return brief(self, repr(self._consolidator))


class _OfAgent(_Stored):
    def __init__(self, state_store: AsyncMemory, agent_id: str, *, user: str = USER) -> None:
        super().__init__(state_store, None, user)
        self.agent_id, self.scope = agent_id, self.of(agent_id)

    def __repr__(self) -> str:
        return brief(self, self.agent_id)


class LifecycleTierManager(_OfAgent):
    """The tiers of an agent's memories. What a memory returns it counts as accessed by itself, and lifts."""

    async def sweep(self) -> dict[str, int]:
        """Move what is due now; return how many were looked at, and went which way."""
        return await self.scope.sweep()

    async def standing(self, memory: Recollection) -> Standing:
        """Return the tier of a memory, and what is known of its accesses."""
        return await self.scope.standing(memory)


class EpisodicMemory(_OfAgent):
    """The episodic memory of an agent: what it was told."""

    async def recent(self, limit: int = 5) -> list[RememberedEpisode]:
        """Return the *limit* episodes told last, the newest first."""
        return await self.scope.recent(limit)


class EpisodicRetriever(_OfAgent):
    """A retriever of episodes: what an agent was told, by meaning and words."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the *top_k* episodes that answer *text* best."""
        return [*await self.scope.recall(text, limit=top_k, kinds=["episode"])]


class SemanticRetriever(_OfAgent):
    """A semantic retriever: what an agent believes, by meaning and words."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the *top_k* facts that answer *text* best."""
        return [*await self.scope.recall(text, limit=top_k, kinds=["fact"])]


class AdaptiveRetriever:
    """A retriever that goes by the words of a question: to what was told last, the graph, or whatever matches.

    The agent is that of *tier_manager*. A graph that knows nothing leaves the question to what matches.
    """

    def __init__(
        self, episodic_retriever: Retriever, semantic_retriever: Retriever, graph_retriever: GraphRetriever,
        episodic_memory: Recent, tier_manager: LifecycleTierManager,
    ) -> None:  # fmt: skip
        self._episodes, self._facts, self._graph = episodic_retriever, semantic_retriever, graph_retriever
        self._told, self._tiers = episodic_memory, tier_manager

    async def retrieve(self, text: str, top_k: int = 5) -> Found:
        """Return at most *top_k* of each kind that answer *text*: episodes, a graph, or facts before episodes."""
        road = route(text)
        if road == "sequential":
            return await self._told.recent(top_k)
        if road == "graph" and (found := await self._graph.query(self._tiers.agent_id, text, top_k)).nodes:
            return found
        return [*await self._facts.retrieve(text, top_k), *await self._episodes.retrieve(text, top_k)]

    def __repr__(self) -> str:
        return brief(self, self._tiers.agent_id)
