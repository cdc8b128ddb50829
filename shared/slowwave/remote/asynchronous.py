"""The same verbs, awaited: each on a thread of the loop's own executor, which waits for the server."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Self

from slowwave.remote.goals import RemoteGoals, RemoteStrategies
from slowwave.remote.memory import RemoteMemory
from slowwave.remote.operating import RemoteOperator
from slowwave.remote.scope import RemoteScope

FACES = (RemoteGoals, RemoteMemory, RemoteOperator, RemoteScope, RemoteStrategies)
AT_ONCE = {"scope", "in_channel"}
"""The verbs that wait for nobody."""


class AsyncRemote:
    """The twin of a *face* on a server: every verb of it, awaited."""

    def __init__(self, face: Any) -> None:
        self._face = face

    async def close(self) -> None:
        """Close the connections to the server."""
        await asyncio.to_thread(self._face.close)

    def __getattr__(self, name: str) -> Any:
        """Return the verb *name* of the face, to await, or a side of it. Raises `OutOfReach` as the face does."""
        attribute = getattr(self._face, name)
        if not inspect.ismethod(attribute):
            return _handed(attribute)
        return functools.partial(_at_once if name in AT_ONCE else _awaited, attribute)

    def __repr__(self) -> str:
        return f"<Async{repr(self._face)[1:]}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class RemoteOpening:
    """A memory on a server for who awaits: `await` it, or `async with` it, which closes it."""

    def __init__(self, memory: RemoteMemory) -> None:
        self._memory = AsyncRemote(memory)

    def __await__(self) -> Generator[Any, None, AsyncRemote]:
        return self._opened().__await__()

    async def __aenter__(self) -> AsyncRemote:
        return self._memory

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._memory.__aexit__(kind, error, trace)

    async def _opened(self) -> AsyncRemote:
        return self._memory


def _handed(found: Any) -> Any:
    return AsyncRemote(found) if isinstance(found, FACES) else found


def _at_once(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return _handed(verb(*args, **kwargs))


async def _awaited(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return _handed(await asyncio.to_thread(verb, *args, **kwargs))
