"""The conversation of one session. Related memories are added to its messages, and its turns are pushed."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from slowwave.domain.context import Part
from slowwave.domain.episode import Episode
from slowwave.domain.receipt import Receipt
from slowwave.errors import SlowwaveError, Unavailable
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former
from slowwave.memory import MemoryScope
from slowwave.memory.asynchronous import AsyncMemoryScope

MOST_ASKED = 4_000
"""The maximum number of characters of a question to the memory. Of a longer text, only the end is used."""
Message = Mapping[str, Any]
_LOG = logging.getLogger(__name__)
T = TypeVar("T")


def text_of(content: object) -> str:
    """Return the text of a message's *content*, without tool calls, tool results and pictures."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Iterable):
        return ""
    return "\n".join(text for block in content if (text := _of_block(block)))


def question_of(messages: Sequence[Message]) -> str:
    """Return the last message of the user, as the question to the memory; empty if there is no such message."""
    messages_of_user = (text_of(one.get("content")) for one in reversed(messages) if one.get("role") == "user")
    return next((text for text in messages_of_user if text.strip()), "")[-MOST_ASKED:]


def new_turns(messages: Sequence[Message], reply: str) -> list[dict[str, Any]]:
    """Return the new turns of a model call: the user's message, if it is the last message, and the *reply*.

    After a tool result, there is no new message of the user.
    """
    last = messages[-1] if messages else {}
    asked = text_of(last.get("content")) if last.get("role") == "user" else ""
    turns = (("user", asked), ("assistant", reply))
    return [{"role": role, "content": text} for role, text in turns if text.strip()]


def memory_lines(shown: Iterable[tuple[str, str]], messages: Sequence[Message]) -> str:
    """Return the lines in *shown* as one text, without memories whose content repeats a message of *messages*.

    *shown* has a pair per memory: the content of the memory, and the line for the prompt.
    """
    repeated = {text_of(one.get("content")).strip() for one in messages}
    return "\n".join(words for content, words in shown if content.strip() not in repeated)


def _of_block(block: object) -> str:
    if isinstance(block, str):
        return block
    kind, text = (
        (block.get("type"), block.get("text"))
        if isinstance(block, Mapping)
        else (getattr(block, "type", None), getattr(block, "text", None))
    )
    return text if isinstance(text, str) and kind in ("text", "input_text", "output_text") else ""


class _Talk:
    """The conversation of one session, and whether its memory is reachable."""

    def __init__(self, session: str, max_tokens: int) -> None:
        Episode.read(
            {"content": "-", "session": session}
        )  # raises for an invalid name now, not after the call of a model
        self.session, self.max_tokens = session, max_tokens
        self.away: Unavailable | None = None
        """The error that made the memory unreachable; None while it is reachable."""

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """Log an error of the memory, which must not lose a paid reply. An outage is logged once."""
        try:
            yield
            self.away = None
        except Unavailable as error:
            if self.away is None:
                _LOG.warning("memory is unreachable, the agent goes on without it: %s", error.message)
            self.away = error
        except SlowwaveError as error:
            self._refused(error)

    def _refused(self, error: SlowwaveError) -> None:
        _LOG.warning("a turn was not stored, the agent goes on: %s", error.message)

    def _looked_at(self, receipts: list[Receipt]) -> list[Receipt]:
        for receipt in receipts:
            if receipt.error is not None:
                self._refused(receipt.error)
        return receipts

    def _episodes(self, turns: Sequence[Message]) -> list[dict[str, Any]]:
        return [{"session": self.session, **turn} for turn in turns]

    def __repr__(self) -> str:
        return brief(self, f"session {self.session}", "away" if self.away else "there")


class Talk(_Talk):
    """The conversation of *session*, with memories from *scope*. An agent calls `recall_into` before a model call and
    `push` after the call.

    While the memory is unreachable, the agent continues without memories. The failure is logged once, and `away` has
    the error.
    """

    def __init__(self, scope: MemoryScope, session: str = "default", *, max_tokens: int = 1_000) -> None:
        super().__init__(session, max_tokens)
        self.scope = scope

    def known(self, messages: Sequence[Message]) -> str:
        """Return memories related to the user's last message, one per line, within *max_tokens*.

        Memories that repeat *messages* are left out. The text is empty if no memory is related or the memory is
        unreachable.
        """
        question = question_of(messages)
        if not question.strip():
            return ""
        parts = self._tried(lambda: self.scope.retrieve(question, session=self.session, max_tokens=self.max_tokens))
        return memory_lines(_shown(parts), messages)

    def recall_into(self, messages: Sequence[Message]) -> list[Message]:
        """Return *messages* with a new system message of memories, after the system messages at the beginning."""
        return inserted(messages, self.known(messages))

    def push(self, turns: Sequence[Message]) -> list[Receipt]:
        """Push *turns* in order. Each turn is a mapping with `role`, `content` and other fields of an episode.

        Returns the receipts of the turns, or an empty list while the memory is unreachable. Each receipt that is
        `refused` is logged.
        """
        receipts = self._tried(lambda: self.scope.push_many(self._episodes(turns)))
        return self._looked_at(receipts)

    def remember(self, turns: Sequence[Message]) -> list[Receipt]:
        """Call `push`, whose former name this is."""
        warn_of_former("remember", "push")
        return self.push(turns)

    def _tried(self, call: Callable[[], list[T]]) -> list[T]:
        with self._going_on():
            return call()
        return []


class AsyncTalk(_Talk):
    """The async `Talk`, on an `AsyncMemoryScope`."""

    def __init__(self, scope: AsyncMemoryScope, session: str = "default", *, max_tokens: int = 1_000) -> None:
        super().__init__(session, max_tokens)
        self.scope = scope

    async def known(self, messages: Sequence[Message]) -> str:
        """Return memories related to the user's last message; see `Talk.known`."""
        question = question_of(messages)
        if not question.strip():
            return ""
        parts = await self._tried(
            lambda: self.scope.retrieve(question, session=self.session, max_tokens=self.max_tokens)
        )
        return memory_lines(_shown(parts), messages)

    async def recall_into(self, messages: Sequence[Message]) -> list[Message]:
        """Return the *messages* with memories in a system message; see `Talk.recall_into`."""
        return inserted(messages, await self.known(messages))

    async def push(self, turns: Sequence[Message]) -> list[Receipt]:
        """Push *turns* in order and return their receipts; see `Talk.push`."""
        receipts = await self._tried(lambda: self.scope.push_many(self._episodes(turns)))
        return self._looked_at(receipts)

    async def remember(self, turns: Sequence[Message]) -> list[Receipt]:
        """Call `push`, whose former name this is."""
        warn_of_former("remember", "push")
        return await self.push(turns)

    async def _tried(self, call: Callable[[], Awaitable[list[T]]]) -> list[T]:
        with self._going_on():
            return await call()
        return []


def inserted(messages: Sequence[Message], known: str) -> list[Message]:
    """Return *messages*. If *known* is not empty, the result also has a system message with this text."""
    if not known:
        return list(messages)
    own = next((at for at, one in enumerate(messages) if one.get("role") not in ("system", "developer")), len(messages))
    return [*messages[:own], {"role": "system", "content": known}, *messages[own:]]


def _shown(parts: Sequence[Part]) -> list[tuple[str, str]]:
    return [(part.content, part.shown) for part in parts]
