"""The async twin of a sync class, generated from the sync class; and a memory that is not connected yet."""

import asyncio
import functools
import importlib
import inspect
from collections.abc import Callable, Generator, Mapping
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from slowwave.memory.asynchronous.background_loop import BackgroundLoop
from slowwave.memory.installation import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.runtime import extras
from slowwave.subscriptions import DeltaCallback
from slowwave.subscriptions.async_deltas import AsyncDeltaIterator, AsyncSubscription
from slowwave.wiring import Parts

TURNS = {
    *(f"MemoryScope.{verb}" for verb in ("push", "push_many", "why", "deltas")),
    *(f"Memory.{verb}" for verb in ("why", "deltas")),
    *(f"Prompting.{verb}" for verb in ("context", "retrieve")),
    *(f"Reading.{verb}" for verb in ("recall", "facts", "entries", "timeline", "recent", "conversations")),
    *(f"Reading.{verb}" for verb in ("conversation", "episode")),
}
"""The verbs that run in `BackgroundLoop.turns`, because these verbs wait only for Postgres.

Other verbs run in a thread.
"""
AT_ONCE = {"scope", "in_channel"}
"""The verbs that never wait."""
NOT_OF_A_TWIN = {"connect", "close"}
"""The verbs of a memory that the twin class defines itself."""
ASKING = {"reach"}
"""The properties that may query the database. On a twin, these properties are async verbs."""


class _Closes(Protocol):
    async def close(self) -> None:
        """Close the memory."""


M = TypeVar("M", bound=_Closes)


class PendingConnection(Generic[M]):
    """A memory that is not connected yet.

    `memory = await …` connects the memory; `async with … as memory` also closes the memory at the end.
    """

    def __init__(self, connect: Callable[[], Memory], made: Callable[[Memory, BackgroundLoop], M]) -> None:
        with extras.needed():
            importlib.import_module("greenlet")  # the bridge to the async driver needs this package
        self._connect, self._made = connect, made
        self._memory: M | None = None

    def __await__(self) -> Generator[Any, None, M]:
        return self._opened().__await__()

    async def __aenter__(self) -> M:
        self._memory = await self._opened()
        return self._memory

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._memory is not None:
            await self._memory.close()

    async def _opened(self) -> M:
        connecting = asyncio.get_running_loop().run_in_executor(None, self._open)
        try:
            memory = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(_close_unwanted)
            raise
        return self._made(memory, BackgroundLoop(at_once=2 * parts_of(memory).settings.pool_size))

    def _open(self) -> Memory:
        memory = self._connect()
        _preload(parts_of(memory))
        return memory


def _preload(parts: Parts) -> None:
    """Load in advance what the first verb needs, so that the caller of this verb waits only for Postgres."""
    parts.embedder.load()
    _ = parts.predicates, parts.lifecycle, parts.bell, parts.accesses, parts.tally, parts.anticipation, parts.scorers


def _close_unwanted(connecting: "asyncio.Future[Memory]") -> None:
    if not connecting.cancelled() and connecting.exception() is None:
        asyncio.get_running_loop().run_in_executor(None, connecting.result().close)


class AsyncFace:
    """The base of async classes, each of which has every verb of one sync class."""

    def __init__(self, face: Any, room: BackgroundLoop) -> None:
        self._face, self._room = face, room

    @property
    def _parts(self) -> Parts:
        """The parts behind this object; see `slowwave.memory.verb_group`."""
        return parts_of(self._face)

    def __repr__(self) -> str:
        return f"<Async{repr(self._face)[1:]}"


TWINS: dict[type, type[AsyncFace]] = {}
"""The async twin of each sync class."""


def twin(face: type, name: str) -> type[AsyncFace]:
    """Return an async class with this *name*, and with the verbs of the sync class *face*."""
    body: dict[str, Any] = {"__doc__": face.__doc__, "__module__": "slowwave.memory.asynchronous"}
    for verb, attribute in inspect.getmembers_static(face):
        if not verb.startswith("_") and verb not in NOT_OF_A_TWIN:
            body[verb] = _attribute(verb, attribute, f"{name}.{verb}")
    made = TWINS[face] = type(name, (AsyncFace,), body)
    return made


def _attribute(name: str, attribute: Any, qualified: str) -> Any:
    if isinstance(attribute, staticmethod):
        return attribute
    if not inspect.isfunction(attribute):
        asks = name in ASKING
        return _asking(name, attribute) if asks else property(lambda self: _handed(self, getattr(self._face, name)))
    if name == "follow":
        method: Any = _following()
    elif name == "on_delta":
        method = _listening()
    elif name in AT_ONCE:
        method = _at_once(attribute)
    else:
        method = _awaited(attribute)
    functools.update_wrapper(method, attribute)
    method.__qualname__ = qualified
    return method


def _awaited(verb: Callable[..., Any]) -> Any:
    turns = verb.__qualname__ in TURNS

    async def asked(self: AsyncFace, *args: Any, **kwargs: Any) -> Any:
        work = _work(self, verb, args, kwargs)
        return _handed(self, await (self._room.turns(work) if turns else self._room.threads(work)))

    return asked


def _at_once(verb: Callable[..., Any]) -> Any:
    def asked(self: AsyncFace, *args: Any, **kwargs: Any) -> Any:
        return _handed(self, _work(self, verb, args, kwargs)())

    return asked


def _asking(name: str, attribute: Any) -> Any:
    async def asked(self: AsyncFace) -> Any:
        return await self._room.turns(lambda: getattr(self._face, name))

    asked.__doc__, asked.__name__ = attribute.__doc__, name
    return asked


def _following() -> Any:
    def follow(self: AsyncFace, **kwargs: Any) -> AsyncDeltaIterator:
        return AsyncDeltaIterator(self._room, functools.partial(self._face.follow, **kwargs))

    return follow


def _listening() -> Any:
    def on_delta(self: Any, hear: DeltaCallback, **kwargs: Any) -> AsyncSubscription:
        return AsyncSubscription(self.follow(**kwargs), hear)

    return on_delta


def _work(self: AsyncFace, verb: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    given = [_face(one) for one in args]
    named = {name: _face(one) for name, one in kwargs.items()}
    return functools.partial(verb, self._face, *given, **named)


def _face(given: Any) -> Any:
    return given._face if isinstance(given, AsyncFace) else given


def _handed(self: AsyncFace, found: Any) -> Any:
    made = TWINS.get(type(found))
    return found if made is None else made(found, self._room)
