"""Grampus: its own names, composed as its quick start does, over an asynchronous memory."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.adapters.documents import (
    AdaptiveRetriever,
    EpisodicMemory,
    EpisodicRetriever,
    GraphBuilder,
    GraphRetriever,
    LifecycleTierManager,
    SemanticConsolidator,
    SemanticRetriever,
)
from slowwave.adapters.loop import AgentRunner, MemoryManager
from slowwave.domain.graph import MemoryGraph
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.recollection import Recollection
from slowwave.errors import Incorrect
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory
from slowwave.memory.asynchronous import AsyncMemory
from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from tests.faults.rig.provider import LocalProvider

Walk = Callable[[AsyncMemory], Awaitable[None]]


@pytest.fixture
def walked(connected: Callable[..., wiring.Parts], cache_url: str) -> Callable[[Walk], None]:
    """Return a function that runs a coroutine with an async memory under the preset."""
    parts = connected(preset="grampus_f3", cache_url=SecretStr(cache_url))

    async def run(walk: Walk) -> None:
        memory = AsyncMemory(Memory(parts), BackgroundLoop(at_once=4))
        try:
            await walk(memory)
        finally:
            await memory._room.close(last=lambda: None, hang_up=parts.database.hang_up)

    return lambda walk: asyncio.run(run(walk))


def routed(memory: AsyncMemory, graph: GraphRetriever, tiers: LifecycleTierManager) -> AdaptiveRetriever:
    return AdaptiveRetriever(
        episodic_retriever=EpisodicRetriever(memory, "my-agent"),
        semantic_retriever=SemanticRetriever(memory, "my-agent"),
        graph_retriever=graph,
        episodic_memory=EpisodicMemory(memory, "my-agent"),
        tier_manager=tiers,
    )


@pytest.mark.requirement("S0.36")
def test_the_quick_start_builds_and_each_name_answers(walked: Callable[[Walk], None]) -> None:
    async def walk(memory: AsyncMemory) -> None:
        embedder = StaticEmbedder()
        consolidator = SemanticConsolidator(state_store=memory, embedding_service=embedder, model_client=None)
        retriever = GraphRetriever(consolidator=consolidator, embedding_service=embedder)
        tiers = LifecycleTierManager(state_store=memory, agent_id="my-agent")
        router = routed(memory, retriever, tiers)
        builder = GraphBuilder(embedding_service=embedder)

        assert await router.retrieve("how does Anna relate to Riga?") == []  # no graph yet, and nothing that matches
        scope = memory.scope("default", agent="my-agent")
        for words in ("My sister Anna lives in Riga.", "I like rowing."):
            assert await builder.add({"content": words, "session": "s1"}, agent_id="my-agent") is None
            await scope.push(words, role="user", session="s1")
        assert {report.outcome for report in await consolidator.consolidate("my-agent")} == {"ok"}

        graph = await consolidator.load_graph("my-agent")
        assert (graph.version, graph.named("Anna") is not None) == (1, True)
        assert (await consolidator.load_graph("another")).nodes == {}
        around = await retriever.query("my-agent", "how does Anna relate to Riga?", top_k=5)
        assert retriever.format_as_context(around).startswith("Knowledge graph context:\n- ")

        by_graph = await router.retrieve("how does Anna relate to Riga?")
        last = await router.retrieve("what did I say last time?", 1)
        flat = await router.retrieve("Where is Anna?")
        assert isinstance(by_graph, MemoryGraph)
        assert by_graph.named("Riga") is not None
        assert not isinstance(last, MemoryGraph)
        assert not isinstance(flat, MemoryGraph)
        assert [type(one) for one in last] == [RememberedEpisode]
        assert [getattr(one, "content", "") for one in last] == ["I like rowing."]
        found = [one for one in flat if isinstance(one, Recollection)]
        assert {one.kind for one in found} == {"fact", "episode"}
        assert (await tiers.standing(found[0])).tier in ("warm", "hot")
        assert await tiers.sweep() == await scope.sweep()

    walked(walk)


def test_the_configured_model_is_used_and_another_is_refused(
    connected: Callable[..., wiring.Parts], provider: LocalProvider
) -> None:
    parts = connected(preset="grampus_f3", model="echo", model_url=provider.url)

    async def walk() -> None:
        memory = AsyncMemory(Memory(parts), BackgroundLoop(at_once=2))
        assert parts.provider is not None
        SemanticConsolidator(memory, parts.embedder, parts.provider)
        with pytest.raises(Incorrect, match="model_client"):
            SemanticConsolidator(memory, parts.embedder, object())
        await memory.close()

    asyncio.run(walk())


@pytest.mark.requirement("S0.37")
def test_the_three_components_consolidate_an_old_topic_before_the_new_one(walked: Callable[[Walk], None]) -> None:
    said = [*["I like rowing on the lake."] * 4, "The database schema needs an index."]

    async def walk(memory: AsyncMemory) -> None:
        consolidator = SemanticConsolidator(memory)
        tiers = LifecycleTierManager(memory, "my-agent")
        router = routed(memory, GraphRetriever(consolidator), tiers)

        async def model(messages: list[dict[str, str]]) -> str:
            return str(messages[-1]["content"])

        scope = memory.scope("default", agent="my-agent")
        with_all = MemoryManager(
            scope, "s1", graph_consolidator=consolidator, lifecycle_manager=tiers, adaptive_router=router
        )
        plain = MemoryManager(memory.scope("default", agent="plain"), "s1")
        for manager, builder in ((with_all, GraphBuilder()), (plain, None)):
            await manager.start_session()
            runner = AgentRunner(manager, model, graph_builder=builder)
            assert [await runner.run(words) for words in said] == said

        facts = " ".join(fact.text for fact in await scope.facts())
        assert "rowing" in facts
        assert "schema" not in facts
        assert (await consolidator.load_graph("my-agent")).version == 1
        assert (await consolidator.load_graph("plain")).version == 0
        assert await plain.scope.facts() == []
        last = await with_all.retrieve("what did I say last time?", 1)
        assert [type(one) for one in last] == [RememberedEpisode]  # type: ignore[union-attr]  # no graph
        found = await plain.retrieve("Where do I row?", 3)
        recalled = await plain.scope.recall("Where do I row?", limit=3, session="s1")
        assert [one.id for one in found] == [one.id for one in recalled]  # type: ignore[union-attr]  # no graph

    walked(walk)
