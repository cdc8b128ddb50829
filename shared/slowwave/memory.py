"""What an agent holds: one object to push, recall, and ask why."""

import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from slowwave import clock, wiring
from slowwave.domain.delta import MemoryDelta
from slowwave.domain.episode import Item
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import NotFound, Unavailable
from slowwave.jobs.run import Report
from slowwave.outbox import Outbox
from slowwave.store import beliefs
from slowwave.wiring import Settings

POLL_SECONDS = 0.05


class Memory:
    """The memories of an installation. Safe to share between threads; make one a process and `close` it."""

    def __init__(self, parts: wiring.Parts) -> None:
        self._parts = parts

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
    ) -> "MemoryScope":
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
        self, scope: Scope, question: str, *, limit: int = 10, as_of: datetime | None = None
    ) -> list[Recollection]:
        """Return what answers *question* best; see `MemoryScope.recall`."""
        return self._parts.recall(scope, question, limit=limit, now=as_of)

    def why(self, fact: uuid.UUID | str, *, tenant: str | None = None) -> Explanation:
        """Return why a fact is or was believed, down to the words. Raises `NotFound`."""
        id_ = _uuid(fact)
        with self._parts.database.tenant(tenant or self._parts.settings.tenant) as connection:
            explanation = beliefs.why(connection, id_) if id_ else None
        if explanation is None:
            raise NotFound(f"there is no fact {fact}", hint="`slowwave facts` lists the ids of what is believed")
        return explanation

    def digest(self, *, tenant: str | None = None) -> str:
        """Return a hash over everything the tenant believes or believed, free of ids, counters and recorded times."""
        with self._parts.database.tenant(tenant or self._parts.settings.tenant) as connection:
            return beliefs.digest(connection)

    def drain(self, timeout: float = 60.0) -> list[Report]:
        """Run everything that is due in this process until nothing is; return how each run ended.

        What waits in the outbox is stored first, and what other workers hold is waited for. Raises `Unavailable` after
        *timeout* seconds.
        """
        self._store_spooled()
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


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """What one agent remembers of one user in one channel."""

    memory: Memory
    scope: Scope

    def push(self, item: Item, **fields: Any) -> Receipt:
        """Store one episode durably, then ring a worker; return its receipt.

        *item* is an `Episode`, a mapping with its fields, or its content with the other *fields* beside it:

            scope.push("I moved to Oslo last week", role="user", session="s1")

        The receipt says `stored` once it is committed in Postgres, whatever state the broker is in. Pushing the same
        key again is a repeat. Raises `Incorrect` with every problem of the episode, `Conflict` when the key is taken
        by another content, and `Unavailable` when Postgres is away: push again, by the same key.

        With SLOWWAVE_OUTBOX set, the receipt says `spooled` while Postgres is away: the episode is safe on this host,
        and is stored by the same key once Postgres is back. Say `occurred_at` if it matters when it happened: without
        one it counts as having happened when it was stored.
        """
        return self.memory.push(self.scope, {"content": item, **fields} if isinstance(item, str) else item)

    def push_many(self, items: Iterable[Item]) -> list[Receipt]:
        """Store many episodes in their order; return one receipt each, `refused` with its error for a bad one."""
        return self.memory.push_many(self.scope, items)

    def consolidate(self, timeout: float = 60.0) -> list[Report]:
        """Turn everything pending here into facts now, in this process; return how each run ended."""
        self.memory._store_spooled()
        self.memory._parts.fire(self.scope.id)
        return self.memory._drain(self.scope.id, timeout)

    def recall(self, question: str, *, limit: int = 10, as_of: datetime | None = None) -> list[Recollection]:
        """Return the facts and episodes that answer *question* best, with reasons and sources, best first.

        Looks here and in what the same agent knows of the user in every channel. *as_of* asks about another time.
        """
        return self.memory.recall(self.scope, question, limit=limit, as_of=as_of)

    def facts(self, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Sequence[Fact]:
        """Return what is believed here, as of any time in the world and as known at any time.

        >>> scope.facts(as_of=noon, known_at=noon)  # doctest: +SKIP
        """
        with self.memory._parts.database.tenant(self.scope.tenant) as connection:
            return beliefs.facts(connection, [self.scope.id], as_of=as_of, known_at=known_at)

    def apply(self, delta: MemoryDelta | dict[str, Any]) -> uuid.UUID:
        """Apply a typed delta by hand; return its id, which is also the id of the fact an add or update makes.

        Applying the same delta again changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` when what it replaces cannot be told for certain, `NotFound` for a source that is not
        there, and `Conflict` while a worker holds the scope.
        """
        return self.memory._parts.apply(self.scope, delta)

    def why(self, fact: uuid.UUID | str) -> Explanation:
        """Return why a fact is or was believed. Raises `NotFound`."""
        return self.memory.why(fact, tenant=self.scope.tenant)

    def digest(self) -> str:
        """Return a hash over everything believed here."""
        with self.memory._parts.database.tenant(self.scope.tenant) as connection:
            return beliefs.digest(connection, self.scope.id)

    def in_channel(self, channel: str) -> "MemoryScope":
        """Return the same agent's memory of the same user in another channel."""
        return MemoryScope(self.memory, replace(self.scope, channel=channel))


def _uuid(text: uuid.UUID | str) -> uuid.UUID | None:
    if isinstance(text, uuid.UUID):
        return text
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
