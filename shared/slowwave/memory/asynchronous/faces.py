"""The async verbs: one async class for each sync class.

Editors and type checkers read the signatures of the async classes from `faces.pyi`.
"""

import functools
from types import TracebackType
from typing import Self, Unpack, cast

from slowwave.memory.asynchronous.twin import TWINS, PendingConnection, twin
from slowwave.memory.consensus import Consensus
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.goals import Goals
from slowwave.memory.graph import Graph
from slowwave.memory.installation import Memory
from slowwave.memory.operations import Encryption, Operator, Quotas
from slowwave.memory.patterns import Strategies
from slowwave.memory.scope import MemoryScope
from slowwave.memory.stream import MemoryStream
from slowwave.memory.summaries import Tree
from slowwave.memory.tools import Tools
from slowwave.memory.undoing.canaries import Canaries
from slowwave.memory.verb_group import parts_of
from slowwave.memory.working_memory import WorkingMemory
from slowwave.remote import connected
from slowwave.remote.asynchronous import AsyncRemote
from slowwave.remote.http import is_http
from slowwave.wiring import Options

AsyncCanaries = twin(Canaries, "AsyncCanaries")
AsyncConsensus = twin(Consensus, "AsyncConsensus")
AsyncContinuumMemory = twin(ContinuumMemory, "AsyncContinuumMemory")
AsyncEncryption = twin(Encryption, "AsyncEncryption")
AsyncGoals = twin(Goals, "AsyncGoals")
AsyncGraph = twin(Graph, "AsyncGraph")
AsyncMemoryStream = twin(MemoryStream, "AsyncMemoryStream")
AsyncOperator = twin(Operator, "AsyncOperator")
AsyncQuotas = twin(Quotas, "AsyncQuotas")
AsyncStrategies = twin(Strategies, "AsyncStrategies")
AsyncTools = twin(Tools, "AsyncTools")
AsyncTree = twin(Tree, "AsyncTree")
AsyncWorkingMemory = twin(WorkingMemory, "AsyncWorkingMemory")
AsyncMemoryScope = twin(MemoryScope, "AsyncMemoryScope")


class AsyncMemory(twin(Memory, "AsyncMemory")):
    """The memories of an installation, for async callers. The class has every verb of `Memory`.

    The verbs never block an event loop, and any number of loops and tasks can share one memory. `push`, `recall`,
    `context`, `facts` and other verbs that only read use connections of the async driver. All other verbs use a limited
    number of threads. Make one memory per process, and `close` the memory at the end. A forked process must make its
    own memory.
    """

    @classmethod
    def connect(
        cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]
    ) -> PendingConnection[Self]:  # fmt: skip
        """Return a memory that connects like `Memory.connect`.

        Use `await`, or `async with`, which closes the memory at the end.

        Raises what `Memory.connect` raises, and `Incorrect` if the extra `async` is not installed.
        """
        if is_http(url):
            return cast(PendingConnection[Self], AsyncRemote(connected(url, key, settings)))
        return PendingConnection(functools.partial(Memory.connect, url, key=key, **settings), cls)

    async def close(self) -> None:
        """Close the memory: refuse waiting calls, roll back open transactions, and send pending notifications.

        Also stops embedded services that this process started.
        """
        await self._room.close(last=self._face.close, hang_up=parts_of(self._face).database.hang_up)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


TWINS[Memory] = AsyncMemory
