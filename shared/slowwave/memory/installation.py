"""The memories of an installation: one object a process holds, to push, recall, and ask why."""

import time
import uuid
from collections.abc import Iterable
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from slowwave import clock, wiring
from slowwave.domain.episode import Item
from slowwave.domain.explanation import Explanation
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.domain.stats import Stats
from slowwave.errors import NotFound, Unavailable
from slowwave.jobs.run import Report
from slowwave.memory.keeping import Keeping
from slowwave.memory.scope import MemoryScope
from slowwave.memory.use import Use
from slowwave.outbox import Outbox
from slowwave.store.beliefs import reading
from slowwave.store.promotion.by_hand import promote_by_hand
from slowwave.wiring import Settings

POLL_SECONDS = 0.05


class Memory(Keeping, Use):
    """The memories of an installation. Safe to share between threads; make one a process and `close` it."""

    def __init__(self, parts: wiring.Parts) -> None:
        self._parts = parts
        self._capture = wiring.capture(parts.settings)

    @classmethod
    def connect(cls, url: str | None = None, **settings: Any) -> Self:
        """Return a memory on the Postgres at *url*, else at SLOWWAVE_URL, else on the embedded one.

        *settings* go before the environment's. The embedded Postgres is started and migrated when nobody runs it;
        it ends with the process that started it. Raises `Incorrect` for settings that cannot be, and `Unavailable`
        when the database is away.
        """
        if url is not None:
            settings["url"] = url
        parts = wiring.open_parts(Settings.load(**settings))
        if parts.spooler is not None:
            parts.spooler.wake()
        return cls(parts)

    @property
    def outbox(self) -> Outbox | None:
        """What keeps episodes on this host while Postgres is away, and what of them was refused in the end."""
        return self._parts.outbox

    def scope(
        self, user: str, *, agent: str = "default", channel: str = GLOBAL_CHANNEL, tenant: str | None = None
    ) -> MemoryScope:
        """Return what *agent* remembers of *user* in *channel*."""
        return MemoryScope(self, Scope(tenant or self._parts.settings.tenant, user, agent, channel))

    def push(self, scope: Scope, item: Item) -> Receipt:
        """Store one episode; see `MemoryScope.push`."""
        (receipt,) = self.push_many(scope, [item])
        if receipt.error is not None:
            raise receipt.error
        return receipt

    def push_many(self, scope: Scope, items: Iterable[Item]) -> list[Receipt]:
        """Store episodes; see `MemoryScope.push_many`."""
        return self._parts.push(scope, list(items))

    def recall(
        self,
        scope: Scope,
        question: str,
        *,
        limit: int = 10,
        as_of: datetime | None = None,
        archived: bool = False,
    ) -> list[Recollection]:
        """Return what answers *question* best; see `MemoryScope.recall`."""
        return self._parts.recall(scope, question, limit=limit, now=as_of, archived=archived)

    def why(self, fact: uuid.UUID | str, *, tenant: str | None = None) -> Explanation:
        """Return why a fact is or was believed, down to the words. Raises `NotFound`."""
        with self._parts.database.tenant(tenant or self._parts.settings.tenant) as connection:
            explanation = reading.why(connection, known_id(fact))
        if explanation is None:
            raise _no_fact(fact)
        return explanation

    def promote_to_global(
        self, fact: uuid.UUID | str, reason: str, *, tenant: str | None = None, scope: Scope | None = None
    ) -> uuid.UUID:
        """Let the agent know a fact of *scope*, or of any project channel, everywhere; see `MemoryScope.promote`."""
        name = scope.tenant if scope else tenant or self._parts.settings.tenant
        with self._parts.database.tenant(name) as connection:
            return promote_by_hand(connection, known_id(fact), tenant=name, reason=reason, scope=scope)

    def digest(self, *, tenant: str | None = None) -> str:
        """Return a hash over everything the tenant believes or believed, free of ids, counters and recorded times."""
        with self._parts.database.tenant(tenant or self._parts.settings.tenant) as connection:
            return reading.digest(connection)

    def stats(self, *, tenant: str | None = None, hours: int = 24) -> Stats:
        """Return how much there is, how fast and how often recall answered, how far behind the work is, and the tiers.

        What happens is counted by the hour, of all processes; *hours* says how far back. This process's own counts are
        written down first.
        """
        return self._parts.stats(tenant or self._parts.settings.tenant, hours=hours)

    def drain(self, timeout: float = 60.0) -> list[Report]:
        """Run everything that is due in this process until nothing is; return how each run ended.

        What waits in the outbox is stored first, and what other workers hold is waited for. Raises `Unavailable` after
        *timeout* seconds.
        """
        self._store_spooled()
        self._count()
        return self._drain(None, timeout)

    def _store_spooled(self) -> None:
        if self._parts.spooler is not None:
            self._parts.spooler.drain()

    def _drain(self, scope: uuid.UUID | None, timeout: float) -> list[Report]:
        end = clock.monotonic() + timeout
        reports: list[Report] = []
        owner = wiring.owner_name("inline")
        while True:
            report = self._parts.work(owner=owner, scope=scope)
            if report is not None:
                reports.append(report)
            elif not self._parts.due(scope):
                return reports
            elif clock.monotonic() >= end:
                raise Unavailable(f"work is still due after {timeout:g} s", hint="`slowwave status` says who holds it")
            else:
                time.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Ring what is to be rung, close connections, and end embedded services this process started."""
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def known_id(fact: uuid.UUID | str) -> uuid.UUID:
    """Return the id that *fact* is or spells. Raises `NotFound` where it is none."""
    try:
        return fact if isinstance(fact, uuid.UUID) else uuid.UUID(fact)
    except ValueError:
        raise _no_fact(fact) from None


def _no_fact(fact: uuid.UUID | str) -> NotFound:
    return NotFound(f"there is no fact {fact}", hint="`slowwave facts` lists the ids of what is believed")
