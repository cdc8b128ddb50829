"""The caller of a tool, and a memory that is opened in the background."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp.server.mcpserver import Context

from slowwave import wiring
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of

CallerContext = Context[Any, Any]


@dataclass(frozen=True, slots=True)
class ScopeArguments:
    """The default user, agent and channel of calls, and the *tenant*, which a call cannot change."""

    user: str | None = None
    agent: str | None = None
    channel: str | None = None
    tenant: str | None = None

    @classmethod
    def of_query(cls, query: Mapping[str, str], tenant: str) -> "ScopeArguments":
        """Return the defaults in a client's URL, such as `/mcp?user=nora&agent=coder&channel=shop`."""
        return cls(query.get("user"), query.get("agent"), query.get("channel"), tenant)

    def scope(self, memory: Memory, user: str | None = None, channel: str | None = None) -> MemoryScope:
        """Return the memory of *user* in *channel*; the defaults replace None.

        Raises `Incorrect` if there is no user.
        """
        return memory.scope(
            self.named(user), agent=self.agent, channel=channel or self.channel, tenant=self.tenant
        )  # fmt: skip

    def named(self, user: str | None) -> str:
        """Return *user*, or the default user. Raises `Incorrect` if there is no user."""
        if user is None and self.user is None:
            raise Incorrect.listing(
                "the call",
                ["user: is missing"],
                hint="name the user: with the argument `user`, or with ?user=… in the URL",
            )
        return user or self.user or ""


@dataclass(frozen=True, slots=True)
class CallerOf:
    """The context of a call: the *memory*, which is opened at its first use, and the caller's defaults and permissions.

    *allow* takes the call and the required verb. It returns the caller's defaults, or raises `Unauthorized` or
    `Forbidden`.
    """

    memory: Callable[[], Memory]
    allow: Callable[[CallerContext, Literal["push", "recall", "review", "operate"]], ScopeArguments]


@dataclass(slots=True)
class BackgroundMemory:
    """A memory that is opened in the background. `memory()` waits until the memory is open. If opening fails, the next
    call tries again.
    """

    settings: wiring.Settings
    _coming: "Future[Memory] | None" = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def begin(self) -> None:
        """Begin to open the memory on a separate thread, unless this has already begun. The method returns at once."""
        self._begun()

    def memory(self) -> Memory:
        """Wait until the memory is open, and return it.

        If the process that ran the embedded Postgres has ended, this process starts Postgres again.

        Raises the error of a failed attempt to open the memory.
        """
        memory = self._begun().result()
        services = parts_of(memory).services
        if services is not None and services.postgres.pid is None:
            with self._lock:
                services.postgres.start()
        return memory

    def close(self) -> None:
        """Close the memory, and stop the embedded services that this process started."""
        coming = self._coming
        if coming is not None and coming.exception() is None:
            coming.result().close()

    def _begun(self) -> "Future[Memory]":
        with self._lock:
            if self._coming is None or (self._coming.done() and self._coming.exception() is not None):
                self._coming = Future()
                threading.Thread(target=self._open, args=(self._coming,), name="slowwave-opening", daemon=True).start()
            return self._coming

    def _open(self, coming: "Future[Memory]") -> None:
        try:
            coming.set_result(Memory(wiring.open_parts(self.settings)))
        except SlowwaveError as error:
            coming.set_exception(error)
        except BaseException as error:  # noqa: BLE001  # the thread's edge: whoever waits for it raises it
            coming.set_exception(error)
