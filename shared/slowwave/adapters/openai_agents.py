"""The session of an OpenAI Agents SDK agent: its exact history, and memories of other sessions."""

import json
from collections.abc import Mapping
from typing import Any

from slowwave.adapters.journal import Journal, JournalItem
from slowwave.adapters.talk import AsyncTalk, text_of
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former
from slowwave.memory.asynchronous import AsyncMemoryScope


class SlowwaveSession:
    """A `Session` for the package `openai-agents`. The items are episodes of *scope* in the session *session_id*.

    result = await Runner.run(agent, "Where do I live?", session=SlowwaveSession(scope, "s1"))

    Facts are extracted only from messages; other items are only stored for the history. `pop_item` and `clear_session`
    hide items from the history, but the episodes of these items stay in memory.
    """

    session_settings: Any = None

    def __init__(self, scope: AsyncMemoryScope, session_id: str = "default", *, max_tokens: int = 1_000) -> None:
        self.session_id = session_id
        self._journal = Journal(scope, session_id)
        self._talk = AsyncTalk(scope, session_id, max_tokens=max_tokens)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the items of the history in order, exactly as they were added.

        With *limit*, return only the last items.
        """
        return await self._journal.items(limit)

    async def add_items(self, items: list[Any]) -> None:
        """Store items at the end of the history. Raises `Unavailable` while the memory is unreachable."""
        await self._journal.add([_conversation_text(item) for item in items])

    async def pop_item(self) -> Any | None:
        """Hide the last item and return it; None if there is no item."""
        return await self._journal.pop()

    async def clear_session(self) -> None:
        """Hide the whole history."""
        await self._journal.clear()

    async def input_with_memories(self, data: Any) -> Any:
        """Return the input of a model call with memories added after the instructions.

        Use this method as `call_model_input_filter` of the `RunConfig`. While the memory is unreachable, the method
        adds nothing.
        """
        asked = data.model_data
        known = await self._talk.known([one for one in asked.input if isinstance(one, Mapping)])
        if known:
            asked.instructions = "\n\n".join(text for text in (asked.instructions, known) if text)
        return asked

    async def told(self, data: Any) -> Any:
        """Call `input_with_memories`, whose former name this is."""
        warn_of_former("told", "input_with_memories")
        return await self.input_with_memories(data)

    def __repr__(self) -> str:
        return brief(self, f"session {self.session_id}", repr(self._talk.scope))


def _conversation_text(item: Mapping[str, Any]) -> JournalItem:
    if (role := item.get("role")) is not None:
        fields = {"developer": "system"}.get(role, role)
        return item, text_of(item.get("content")), {"role": fields}
    about = item.get("output", item.get("arguments"))
    words = about if isinstance(about, str) else json.dumps(about) if about is not None else ""
    return item, f"{item.get('name') or item.get('type')}: {words}", {"role": "tool", "kind": "memory_read"}
