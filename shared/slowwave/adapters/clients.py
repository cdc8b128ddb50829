"""Model clients with memory. Each call gets related memories. After the call, the user's message and the reply are
pushed.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Self

from slowwave.adapters.talk import AsyncTalk, Message, Talk, inserted, new_turns, text_of
from slowwave.errors import Incorrect
from slowwave.formatting import brief, many
from slowwave.memory import MemoryScope
from slowwave.memory.asynchronous import AsyncMemoryScope

AddMemory = Callable[[dict[str, Any], str], dict[str, Any]]


def reply_of(answer: Any) -> str:
    """Return the text of a client's *answer*, without tool calls."""
    if isinstance(text := getattr(answer, "output_text", None), str):
        return text
    if choices := getattr(answer, "choices", None):
        return text_of(choices[0].message.content)
    return text_of(getattr(answer, "content", None))


def added_words(event: Any) -> str:
    """Return the text that one *event* of a streamed reply adds; empty if the event has no text."""
    if choices := getattr(event, "choices", None):
        return getattr(choices[0].delta, "content", None) or "" if choices[0].index == 0 else ""
    kind, delta = getattr(event, "type", None), getattr(event, "delta", None)
    if kind == "response.output_text.delta" and isinstance(delta, str):
        return delta
    if kind == "content_block_delta" and getattr(delta, "type", None) == "text_delta":
        return str(getattr(delta, "text", ""))
    return ""


class _Collecting:
    """A model's stream, and a record of the text that it has delivered."""

    def __init__(self, stream: Any, keep: Callable[[str], Any]) -> None:
        self._stream, self._keep = stream, keep
        self._heard: list[str] = []
        self._finished = False

    def _done(self) -> str | None:
        """Return the recorded text at the first call, and None at every later call."""
        if self._finished:
            return None
        self._finished = True
        return "".join(self._heard)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __repr__(self) -> str:
        return brief(self, many(len(self._heard), "event"))


class ReplyStream(_Collecting):
    """A model's stream. When the stream ends, fails or is closed, its text is passed to the function *keep*."""

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
        if (text := self._done()) is not None:
            self._keep(text)


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
        if (text := self._done()) is not None:
            await self._keep(text)


def remembering(
    client: Any, scope: MemoryScope | AsyncMemoryScope, session: str = "default", *, max_tokens: int = 1_000
) -> Any:
    """Return a wrapper of *client*, an OpenAI or Anthropic client, with the same interface.

    The wrapper adds related memories, at most *max_tokens* tokens, to the calls of `chat.completions.create`,
    `responses.create` and `messages.create`. Afterwards, the wrapper pushes the user's message and the reply to
    *session*. If the reply is a stream, the wrapper pushes the received part. Tool calls and other methods are
    unchanged. While the memory is unreachable, calls go on without memories; a warning is logged once. An async client
    needs an `AsyncMemoryScope`. Raises `Incorrect` if client and scope do not match, or if the client has none of these
    methods.
    """
    talk = (
        AsyncTalk(scope, session, max_tokens=max_tokens)
        if isinstance(scope, AsyncMemoryScope)
        else Talk(scope, session, max_tokens=max_tokens)
    )
    calls = [path for path in _ADDERS if (call := _at(client, path)) is not None and _fits(call, path, talk)]
    if not calls:
        raise Incorrect(
            f"{type(client).__name__} has no method that can use a memory",
            hint="pass a client of OpenAI or Anthropic; for another client, call Talk.recall_into and Talk.push",
        )
    return _Remembering(client, (), talk)


class _Remembering:
    """A part of a client, such as `client.chat`, whose methods add memories to calls."""

    def __init__(self, part: Any, path: tuple[str, ...], talk: Talk | AsyncTalk) -> None:
        self._part, self._path, self._talk = part, path, talk

    def __getattr__(self, name: str) -> Any:
        path, found = (*self._path, name), getattr(self._part, name)
        if add := _ADDERS.get(path):
            called = _called if isinstance(self._talk, Talk) else _awaited
            return called(found, add, self._talk)
        if any(one[: len(path)] == path for one in _ADDERS):
            return _Remembering(found, path, self._talk)
        return found

    def __repr__(self) -> str:
        return brief(self, type(self._part).__name__, repr(self._talk))


def _called(create: Callable[..., Any], add: AddMemory, talk: Any) -> Callable[..., Any]:
    def remembered(**asked: Any) -> Any:
        asked = _listed(asked)
        messages = _messages(asked)
        answer = create(**add(asked, talk.known(messages)))

        def keep(reply: str) -> None:
            talk.push(new_turns(messages, reply))

        if asked.get("stream"):
            return ReplyStream(answer, keep)
        keep(reply_of(answer))
        return answer

    return remembered


def _awaited(create: Callable[..., Any], add: AddMemory, talk: Any) -> Callable[..., Any]:
    async def remembered(**asked: Any) -> Any:
        asked = _listed(asked)
        messages = _messages(asked)
        answer = await create(**add(asked, await talk.known(messages)))

        async def keep(reply: str) -> None:
            await talk.push(new_turns(messages, reply))

        if asked.get("stream"):
            return AsyncReplyStream(answer, keep)
        await keep(reply_of(answer))
        return answer

    return remembered


def _listed(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call. An iterator of messages becomes a list, because the messages are read twice."""
    once = {name: list(value) for name in ("messages", "input") if isinstance(value := parameters.get(name), Iterator)}
    return {**parameters, **once}


def _messages(parameters: dict[str, Any]) -> Sequence[Message]:
    """Return the messages of a call as mappings. A string counts as a message of the user."""
    messages = parameters.get("messages", parameters.get("input")) or ()
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [one if isinstance(one, dict) else _as_message(one) for one in messages]


def _as_message(one: object) -> Message:
    return {"role": getattr(one, "role", None), "content": getattr(one, "content", None)}


def _add_to_chat(parameters: dict[str, Any], known: str) -> dict[str, Any]:
    own = list(parameters.get("messages", ()))
    if not known:
        return parameters
    at = next(
        (at for at, one in enumerate(_messages(parameters)) if one.get("role") not in ("system", "developer")), len(own)
    )
    return {**parameters, "messages": [*own[:at], *inserted((), known), *own[at:]]}


def _add_to_responses(parameters: dict[str, Any], known: str) -> dict[str, Any]:
    own = parameters.get("instructions")
    text = "\n\n".join(text for text in (own, known) if isinstance(text, str) and text)
    return {**parameters, "instructions": text} if known else parameters


def _add_to_anthropic(parameters: dict[str, Any], known: str) -> dict[str, Any]:
    own = parameters.get("system")
    if not known:
        return parameters
    if isinstance(own, (list, tuple)):
        return {**parameters, "system": [*own, {"type": "text", "text": known}]}
    return {**parameters, "system": f"{own}\n\n{known}" if isinstance(own, str) and own else known}


_ADDERS: dict[tuple[str, ...], AddMemory] = {
    ("chat", "completions", "create"): _add_to_chat,
    ("responses", "create"): _add_to_responses,
    ("messages", "create"): _add_to_anthropic,
}


def _at(client: Any, path: Sequence[str]) -> Any:
    for name in path:
        client = getattr(client, name, None)
    return client


def _fits(create: Callable[..., Any], path: Sequence[str], talk: Talk | AsyncTalk) -> bool:
    awaits = inspect.iscoroutinefunction(inspect.unwrap(create))
    if awaits == isinstance(talk, AsyncTalk):
        return True
    want, have = ("AsyncMemoryScope", "MemoryScope") if awaits else ("MemoryScope", "AsyncMemoryScope")
    raise Incorrect(
        f"{'.'.join(path)} {'is awaited' if awaits else 'is not awaited'}, but the memory is not",
        hint=f"hand it the {want} of {'AsyncMemory' if awaits else 'Memory'}, not a {have}",
    )
