"""The async faces, each the twin of a face. What an editor and a type checker know of them stands in `faces.pyi`."""

import functools
from types import TracebackType
from typing import Self, Unpack, cast

from slowwave.memory.asynchronous.connecting import Opening
from slowwave.memory.asynchronous.twin import TWINS, twin
from slowwave.memory.consensus import Consensus
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.face import parts_of
from slowwave.memory.goals import Goals
from slowwave.memory.graph import Graph
from slowwave.memory.installation import Memory
from slowwave.memory.patterns import Strategies
from slowwave.memory.scope import MemoryScope
from slowwave.memory.stream import MemoryStream
from slowwave.memory.summaries.tree import Tree
from slowwave.memory.tools import Tools
from slowwave.memory.working import WorkingMemory
from slowwave.remote import connected
from slowwave.remote.asynchronous import RemoteOpening
from slowwave.remote.wire import is_http
from slowwave.wiring import Options

AsyncConsensus = twin(Consensus, "AsyncConsensus")
AsyncContinuumMemory = twin(ContinuumMemory, "AsyncContinuumMemory")
AsyncGoals = twin(Goals, "AsyncGoals")
AsyncGraph = twin(Graph, "AsyncGraph")
AsyncMemoryStream = twin(MemoryStream, "AsyncMemoryStream")
AsyncStrategies = twin(Strategies, "AsyncStrategies")
AsyncTools = twin(Tools, "AsyncTools")
AsyncTree = twin(Tree, "AsyncTree")
AsyncWorkingMemory = twin(WorkingMemory, "AsyncWorkingMemory")
AsyncMemoryScope = twin(MemoryScope, "AsyncMemoryScope")


class AsyncMemory(twin(Memory, "AsyncMemory")):
    """The memories of an installation, for who awaits; see `Memory`, of which it has every verb.

    Its verbs let no loop wait: any number of loops and tasks share one. `push`, `recall`, `context`, `facts` and what
    else only reads wait for Postgres on connections of the async driver; the others have a bounded number of threads.
    Make one a process and `close` it; a process that was forked makes its own.
    """

    @classmethod
    def connect(
        cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]
    ) -> Opening[Self]:  # fmt: skip
        """Return a memory being connected as `Memory.connect` does: `await` it, or `async with` it, which closes it.

        Raises what that raises, and `Incorrect` where the extra `async` is not installed.
        """
        if is_http(url):
            return cast(Opening[Self], RemoteOpening(connected(url, key, settings)))
        return Opening(functools.partial(Memory.connect, url, key=key, **settings), cls)

    async def close(self) -> None:
        """End everything: what waits is refused, what is open is rolled back, what is to be rung is rung.

        Embedded services that this process started end, too.
        """
        await self._room.close(last=self._face.close, hang_up=parts_of(self._face).database.hang_up)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


TWINS[Memory] = AsyncMemory
