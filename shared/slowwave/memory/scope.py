"""What an agent holds of one user: push, recall, correct, and ask why."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from slowwave import wiring
from slowwave.domain.delta import MemoryDelta
from slowwave.domain.episode import Item
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.jobs.run import Report
from slowwave.jobs.working import WorkingMemory
from slowwave.memory import sessions
from slowwave.memory.consensus import Consensus
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.goals import Goals
from slowwave.memory.keeping import ScopeKeeping
from slowwave.memory.patterns import Strategies
from slowwave.memory.stream import MemoryStream
from slowwave.memory.tools import Tools
from slowwave.memory.use import ScopeUse
from slowwave.ports import Due
from slowwave.store.beliefs import reading

if TYPE_CHECKING:
    from slowwave.memory.installation import Memory


@dataclass(frozen=True, slots=True)
class MemoryScope(ScopeKeeping, ScopeUse):
    """What one agent remembers of one user in one channel."""

    memory: "Memory"
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

    def end_session(self, session: str) -> list[Due]:
        """Say that a session is over, and return the work that is due because of it; once for what is stored now.

        What waits for sessions to end is named by cadences (`session_end: true`). An episode of kind `outcome` with
        the metadata `{"session_end": true}` says the same. Raises `Unavailable` when Postgres is away.
        """
        return sessions.end_session(self.memory._parts, self.scope, session)

    def recall(
        self, question: str, *, limit: int = 10, as_of: datetime | None = None, archived: bool = False
    ) -> list[Recollection]:
        """Return the facts and episodes that answer *question* best, with reasons and sources, best first.

        Looks here and in what the same agent knows of the user in every channel. *as_of* asks about another time.
        Conversations that are put away answer only if *archived* is set; what was learned from them answers anyhow.
        """
        return self.memory.recall(self.scope, question, limit=limit, as_of=as_of, archived=archived)

    def facts(self, *, as_of: datetime | None = None, known_at: datetime | None = None) -> Sequence[Fact]:
        """Return what is believed here, as of any time in the world and as known at any time.

        >>> scope.facts(as_of=noon, known_at=noon)  # doctest: +SKIP
        """
        with self.memory._parts.database.tenant(self.scope.tenant) as connection:
            return reading.facts(connection, [self.scope.id], as_of=as_of, known_at=known_at)

    def apply(self, delta: MemoryDelta | dict[str, Any]) -> uuid.UUID:
        """Apply a typed delta by hand; return its id, which is also the id of the fact an add or update makes.

        Applying the same delta again changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` when what it replaces cannot be told for certain, `NotFound` for a source that is not
        there, and `Conflict` while a worker holds the scope.
        """
        return self.memory._parts.apply(self.scope, delta)

    def promote(self, fact: uuid.UUID | str, *, reason: str) -> uuid.UUID:
        """Let the agent know a fact of this project channel everywhere; return the fact that says so in `_global`.

        What the thresholds ask for is waived; the *reason* is kept. Promoting what is promoted changes nothing. It is
        taken back when the fact is believed here no longer. Raises `NotFound`, `Incorrect` for a fact of `_global`,
        `FactConflictError` for one that is not believed and so now, or about which something newer is known
        everywhere, and `Conflict` while a worker holds `_global`.
        """
        return self.memory.promote_to_global(fact, reason, scope=self.scope)

    def why(self, fact: uuid.UUID | str) -> Explanation:
        """Return why a fact is or was believed. Raises `NotFound`."""
        return self.memory.why(fact, tenant=self.scope.tenant)

    def digest(self) -> str:
        """Return a hash over everything believed here."""
        with self.memory._parts.database.tenant(self.scope.tenant) as connection:
            return reading.digest(connection, self.scope.id)

    def working(self, conversation: str) -> WorkingMemory:
        """Return what the agent has in mind in one conversation. Raises `Unavailable` where there is no cache.

        >>> scope.working("s1").add_turn("I moved to Oslo", role="user")  # doctest: +SKIP
        """
        return wiring.working_memory(self.memory._parts, self.scope, conversation)

    @property
    def goals(self) -> Goals:
        """What the agent is to achieve here."""
        return Goals(self)

    @property
    def consensus(self) -> Consensus:
        """What the user's agents agreed on, and who did not."""
        return Consensus(self)

    @property
    def continuum(self) -> ContinuumMemory:
        """Entries by timescale and importance, which rise and fall by themselves."""
        return ContinuumMemory(self)

    @property
    def stream(self) -> MemoryStream:
        """What the agent lived through here, in the order of time."""
        return MemoryStream(self)

    @property
    def tools(self) -> Tools:
        """What the agent's tools did here."""
        return Tools(self)

    @property
    def strategies(self) -> Strategies:
        """What is known of getting things done here: strategies, and how the tools have done.

        >>> scope.strategies.find_strategies("book a flight")  # doctest: +SKIP
        """
        return Strategies(self)

    def in_channel(self, channel: str) -> "MemoryScope":
        """Return the same agent's memory of the same user in another channel."""
        return MemoryScope(self.memory, replace(self.scope, channel=channel))
