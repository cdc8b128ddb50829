"""A size limit for requests: a larger request is refused before all of it is read."""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from fastapi import HTTPException, Request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Message, Receive, Send], Awaitable[None]]


class SizeLimit:
    """The app with a limit of *most* bytes per request; paths in *streams* limit each line instead."""

    def __init__(self, app: ASGIApp, most: int, streams: Collection[str] = ()) -> None:
        self._app = app
        self._most = most
        self._streams = frozenset(streams)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve a request; counts the bytes of its body, and does not trust its Content-Length."""
        if scope["type"] != "http" or scope["path"] in self._streams:
            return await self._app(scope, receive, send)
        announced, read = Request(scope).headers.get("content-length", "0"), 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most or (announced.isascii() and announced.isdigit() and int(announced) > self._most):
                raise HTTPException(413, f"a request may have at most {self._most} bytes")
            return message

        return await self._app(scope, counted, send)

    def __repr__(self) -> str:
        return f"<Bounded: {self._most} bytes>"
