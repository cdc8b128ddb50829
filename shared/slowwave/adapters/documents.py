"""Classes with the names that the agent framework Grampus uses. They call the methods of `AsyncMemory`."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from slowwave.core.graph.neighbourhood import as_context
from slowwave.core.recall.routing import route
from slowwave.core.segments import SemanticShiftEvent
from slowwave.domain.episode import Item
from slowwave.domain.graph import MemoryGraph
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.recollection import Recollection
from slowwave.domain.run import Report
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.memory.asynchronous import AsyncMemory, AsyncMemoryScope
from slowwave.memory.graph_builder import GraphBuilder as Builder
from slowwave.memory.verb_group import parts_of
from slowwave.ports import Embedder

USER = "default"
"""The user and the channel of the memory, because the methods of Grampus take only agents."""
Found = MemoryGraph | Sequence[Recollection] | Sequence[RememberedEpisode]


class Retriever(Protocol):
    """A retriever of memories that match a text."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the memories that match *text* best, at most *top_k*."""


class GraphBuilder:
    """Event graphs, one per session, made with the embedder *embedding_service*. The graphs are not stored.

    See `slowwave.GraphBuilder`.
    """

    def __init__(self, embedding_service: Embedder | None = None) -> None:
        self._builder = Builder(embedding_service)

    async def add(self, event: Item, *, agent_id: str = "default") -> SemanticShiftEvent | None:
        """Append *event* to the graph of its session. Return the semantic shift if the event begins a new topic."""
        return await asyncio.to_thread(self._builder.add, event, agent=agent_id)

    def __repr__(self) -> str:
        return brief(self, repr(self._builder))


class _Stored:
    """The state store of one *user*, backed by a memory."""

    def __init__(self, state_store: AsyncMemory, embedding_service: Embedder | None, user: str) -> None:
        self._memory, self._user = state_store, user
        if embedding_service is not None and embedding_service.space != (own := parts_of(state_store).embedder.space):
            raise Incorrect(
                f"embedding_service: the memory uses the space {own!r}, not in {embedding_service.space!r}",
                hint="pass the memory's embedder or None; SLOWWAVE_EMBEDDER selects the embedder of the whole memory",
            )

    def of(self, agent_id: str) -> AsyncMemoryScope:
        """Return the memory scope of an agent for the user."""
        return self._memory.scope(self._user, agent=agent_id)

    def __repr__(self) -> str:
        return brief(self, self._user)


class SemanticConsolidator(_Stored):
    """The graphs of the facts in the memory *state_store*, one graph per agent.

    All runs use the embedder and the model of the settings. Therefore *embedding_service* must be None or use the
    memory's embedding space, and *model_client* must be None or the memory's model.
    """

    def __init__(
        self, state_store: AsyncMemory, embedding_service: Embedder | None = None, model_client: object = None, *,
        user: str = USER,
    ) -> None:  # fmt: skip
        super().__init__(state_store, embedding_service, user)
        if model_client is not None and model_client is not parts_of(state_store).provider:
            raise Incorrect(
                "model_client: runs can use only the model of the settings",
                hint="pass None, and name the model in SLOWWAVE_MODEL",
            )

    async def load_graph(self, agent_id: str) -> MemoryGraph:
        """Return the graph of an agent."""
        return await self.of(agent_id).graph.load()

    async def consolidate(self, agent_id: str) -> list[Report]:
        """Consolidate all pending episodes of an agent into facts and a graph; return a report per run."""
        return await self.of(agent_id).consolidate()


class GraphRetriever:
    """A retriever of the entities that match a question, and of their neighbours, in the graph of *consolidator*."""

    def __init__(self, consolidator: SemanticConsolidator, embedding_service: Embedder | None = None) -> None:
        _Stored(consolidator._memory, embedding_service, consolidator._user)
        self._consolidator = consolidator

    async def query(self, agent_id: str, text: str, top_k: int = 5) -> MemoryGraph:
        """Return the entities that *text* names and the most important neighbours, at most *top_k* in all. If *text*
        names no entity, the search starts at entities with a similar meaning; if none is similar, the graph is empty.
        """
        return await self._consolidator.of(agent_id).graph.query(text, top_k=top_k)

    def format_as_context(self, result: MemoryGraph) -> str:
        """Return *result* as lines for a prompt, with core concepts marked. An empty result gives an empty text."""
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
    """The tiers of an agent's memories. Recall itself records accesses and moves memories up."""

    async def sweep(self) -> dict[str, int]:
        """Move due memories to another tier; return the numbers of memories checked, moved up and moved down."""
        return await self.scope.sweep()

    async def standing(self, memory: Recollection) -> Standing:
        """Return the tier of a memory and its recorded accesses."""
        return await self.scope.standing(memory)


class EpisodicMemory(_OfAgent):
    """The episodic memory of an agent: its episodes."""

    async def recent(self, limit: int = 5) -> list[RememberedEpisode]:
        """Return the latest episodes, at most *limit*, newest first."""
        return await self.scope.recent(limit)


class EpisodicRetriever(_OfAgent):
    """A retriever of an agent's episodes, by meaning and words."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the episodes that answer *text* best, at most *top_k*."""
        return [*await self.scope.recall(text, limit=top_k, kinds=["episode"])]


class SemanticRetriever(_OfAgent):
    """A retriever of an agent's facts, by meaning and words."""

    async def retrieve(self, text: str, top_k: int = 5) -> list[Recollection]:
        """Return the facts that answer *text* best, at most *top_k*."""
        return [*await self.scope.recall(text, limit=top_k, kinds=["fact"])]


class AdaptiveRetriever:
    """A retriever that chooses a source by the words of a question: the latest episodes, the graph, or all matches.

    It uses the agent of *tier_manager*. If the graph has no result, it returns all matches.
    """

    def __init__(
        self, episodic_retriever: Retriever, semantic_retriever: Retriever, graph_retriever: GraphRetriever,
        episodic_memory: EpisodicMemory, tier_manager: LifecycleTierManager,
    ) -> None:  # fmt: skip
        self._episodes, self._facts, self._graph = episodic_retriever, semantic_retriever, graph_retriever
        self._recent, self._tiers = episodic_memory, tier_manager

    async def retrieve(self, text: str, top_k: int = 5) -> Found:
        """Return the latest episodes, a graph, or facts followed by episodes; at most *top_k* of each."""
        road = route(text)
        if road == "sequential":
            return await self._recent.recent(top_k)
        if road == "graph" and (found := await self._graph.query(self._tiers.agent_id, text, top_k)).nodes:
            return found
        return [*await self._facts.retrieve(text, top_k), *await self._episodes.retrieve(text, top_k)]

    def __repr__(self) -> str:
        return brief(self, self._tiers.agent_id)
