"""The words of a model's reply, as a whole or from a stream."""

from collections.abc import Awaitable, Callable
from typing import Any, Self

from slowwave.adapters.words import text_of
from slowwave.formatting.summary_lines import brief, many


def reply_of(answer: Any) -> str:
    """Return the text of a client's *answer*, without tool calls."""
    if isinstance(text := getattr(answer, "output_text", None), str):
        return text
    if choices := getattr(answer, "choices", None):
        return text_of(choices[0].message.content)
    return text_of(getattr(answer, "content", None))


def added_words(event: Any) -> str:
    """Return the words that an *event* of a stream adds."""
    if choices := getattr(event, "choices", None):
        return getattr(choices[0].delta, "content", None) or "" if choices[0].index == 0 else ""
    kind, delta = getattr(event, "type", None), getattr(event, "delta", None)
    if kind == "response.output_text.delta" and isinstance(delta, str):
        return delta
    if kind == "content_block_delta" and getattr(delta, "type", None) == "text_delta":
        return str(getattr(delta, "text", ""))
    return ""


class _Collecting:
    """A stream that records its text."""

    def __init__(self, stream: Any, keep: Callable[[str], Any]) -> None:
        self._stream, self._keep = stream, keep
        self._heard: list[str] = []
        self._kept = False

    def _done(self) -> str | None:
        """Return the recorded text at the first call, then None."""
        if self._kept:
            return None
        self._kept = True
        return "".join(self._heard)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __repr__(self) -> str:
        return brief(self, many(len(self._heard), "event"))


class ReplyStream(_Collecting):
    """A stream; its text is recorded when it ends, fails or is closed."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        try:
            event = next(self._stream)
        except Exception:
            self._end()
            raise
        self._heard.append(added_words(event))
        return event

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _end(self) -> None:
        if (said := self._done()) is not None:
            self._keep(said)


class AsyncReplyStream(_Collecting):
    """The async variant of `ReplyStream`."""

    _keep: Callable[[str], Awaitable[None]]

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            event = await anext(self._stream)
        except Exception:
            await self._end()
            raise
        self._heard.append(added_words(event))
        return event

    async def close(self) -> None:
        """Close the stream."""
        await self._stream.close()
        await self._end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _end(self) -> None:
        if (said := self._done()) is not None:
            await self._keep(said)
