"""An agent's loop with the class names of the framework Grampus.

It builds a context before each model call. After the call, it stores the user's message and the reply.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from slowwave.adapters.documents import AdaptiveRetriever, Found, GraphBuilder, LifecycleTierManager
from slowwave.adapters.documents import SemanticConsolidator as Consolidator
from slowwave.errors import SlowwaveError
from slowwave.formatting import brief
from slowwave.memory.asynchronous import AsyncMemoryScope

_LOG = logging.getLogger(__name__)
Model = Callable[[list[dict[str, str]]], Awaitable[str]]


class MemoryManager:
    """The memory of one *session* in *scope*. The lifecycle manager, the router and the consolidator are optional."""

    def __init__(
        self, scope: AsyncMemoryScope, session: str = "default", *, max_tokens: int = 4_000,
        graph_consolidator: Consolidator | None = None, lifecycle_manager: LifecycleTierManager | None = None,
        adaptive_router: AdaptiveRetriever | None = None,
    ) -> None:  # fmt: skip
        self.scope, self.session, self.max_tokens = scope, session, max_tokens
        self._consolidator, self._tiers, self._router = graph_consolidator, lifecycle_manager, adaptive_router

    async def start_session(self) -> None:
        """Sweep the tiers, if there is a lifecycle manager."""
        if self._tiers is not None:
            await self._tiers.sweep()

    async def retrieve(self, text: str, top_k: int = 5) -> Found:
        """Return memories that answer *text*. They come from the router if there is one, otherwise from `recall`."""
        if self._router is not None:
            return await self._router.retrieve(text, top_k)
        return await self.scope.recall(text, limit=top_k, session=self.session)

    async def get_context(self, text: str) -> list[dict[str, str]]:
        """Return the messages that a model gets before *text*: the working memory and related memories."""
        context = await self.scope.context(text, session=self.session, max_tokens=self.max_tokens)
        return [part.message for part in context.parts]

    async def add(self, role: str, content: str) -> None:
        """Store a message as an episode, and in the working memory."""
        await self.scope.store_turn({"role": role, "content": content, "session": self.session})

    async def prune(self) -> None:
        """If the working memory exceeds *max_tokens*, remove its oldest turns. Their episodes stay stored."""
        await (await self.scope.working(self.session)).prune(self.max_tokens)

    async def shifted(self) -> None:
        """Consolidate all pending episodes, if there is a consolidator."""
        if self._consolidator is not None:
            await self._consolidator.consolidate(self.scope.scope.agent)

    def __repr__(self) -> str:
        return brief(self, f"session {self.session}")


class AgentRunner:
    """An agent's loop around *model*, a function from messages to a text. *graph_builder* detects changes of topic.

    An error of the memory is logged and never prevents a reply.
    """

    def __init__(self, manager: MemoryManager, model: Model, graph_builder: GraphBuilder | None = None) -> None:
        self._manager, self._model, self._builder = manager, model, graph_builder

    async def run(self, message: str) -> str:
        """Return the model's reply to *message*, with the help of related memories.

        The message and the reply are stored afterwards.
        """
        known: list[dict[str, str]] = []

        async def look() -> None:
            known.extend(await self._manager.get_context(message))

        async def keep() -> None:
            await self._store("user", message)
            await self._store("assistant", reply)
            await self._manager.prune()

        await _tried(look)
        reply = await self._model([*known, {"role": "user", "content": message}])
        await _tried(keep)
        return reply

    async def _store(self, role: str, content: str) -> None:
        event: dict[str, Any] = {"role": role, "content": content, "session": self._manager.session}
        if self._builder is not None and await self._builder.add(event, agent_id=self._manager.scope.scope.agent):
            await _tried(self._manager.shifted)  # before the message is stored, which belongs to the next topic
        await self._manager.add(role, content)

    def __repr__(self) -> str:
        return brief(self, repr(self._manager))


async def _tried(step: Callable[[], Awaitable[None]]) -> None:
    try:
        await step()
    except SlowwaveError as error:  # a reply that was paid for is never lost to an error of the memory
        _LOG.warning("a turn was not stored, the agent goes on: %s", error.message)
