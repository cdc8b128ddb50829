"""The exact message history of a pydantic-ai agent, and related memories for its instructions."""

from collections.abc import Sequence
from typing import Any

from slowwave.adapters.journal import Journal, JournalItem
from slowwave.adapters.talk import AsyncTalk
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.memory.asynchronous import AsyncMemoryScope

_UNSAID = {"role": "tool", "kind": "memory_read"}


class MessageHistory:
    """The messages of an agent of the package `pydantic-ai` in one *session* of *scope*.

    history = MessageHistory(scope, "s1")
    agent = Agent(model, instructions=history.known)
    result = await agent.run("Where do I live?", message_history=await history.load())
    await history.save(result.new_messages())
    """

    def __init__(self, scope: AsyncMemoryScope, session: str = "default", *, max_tokens: int = 1_000) -> None:
        self._adapter = _adapter()
        self._journal = Journal(scope, session)
        self._talk = AsyncTalk(scope, session, max_tokens=max_tokens)

    async def load(self, limit: int | None = None) -> list[Any]:
        """Return the messages in order, exactly as they were saved. With *limit*, return only the last messages."""
        messages: list[Any] = self._adapter.validate_python(await self._journal.items(limit))
        return messages

    async def save(self, messages: Sequence[Any]) -> None:
        """Store *messages*, the new messages of a run, at the end of the history.

        Facts are extracted only from the messages of the user and the model; tool calls are only stored for the
        history.
        """
        await self._journal.add(
            [_conversation_text(one) for one in self._adapter.dump_python(list(messages), mode="json")]
        )

    async def clear(self) -> None:
        """Hide the whole history; the episodes of the messages stay in memory."""
        await self._journal.clear()

    async def known(self, ctx: Any) -> str:
        """Return memories related to the prompt of a run, as `instructions`; empty if the memory is unreachable.

        *ctx* is the `RunContext`.
        """
        prompt = ctx.prompt if isinstance(ctx.prompt, str) else _words(ctx.prompt)
        return await self._talk.known([{"role": "user", "content": prompt}])

    def __repr__(self) -> str:
        return brief(self, repr(self._journal))


def _adapter() -> Any:
    try:
        from pydantic_ai.messages import ModelMessagesTypeAdapter
    except ModuleNotFoundError as error:
        raise Incorrect(
            "this needs the package pydantic-ai, which is not installed", hint="pip install pydantic-ai-slim"
        ) from error
    return ModelMessagesTypeAdapter


def _conversation_text(message: dict[str, Any]) -> JournalItem:
    parts = message["parts"]
    if message["kind"] == "response":
        words = "\n".join(_words(one["content"]) for one in parts if one["part_kind"] == "text")
        return message, words, {"role": "assistant"} if words.strip() else _UNSAID
    words = "\n".join(_words(one["content"]) for one in parts if one["part_kind"] == "user-prompt")
    return message, words, {"role": "user"} if words.strip() else _UNSAID


def _words(content: Any) -> str:
    """Return the text of a prompt. A prompt is a text, or a list of texts and other content."""
    if isinstance(content, str):
        return content
    return "\n".join(one for one in content or () if isinstance(one, str))
