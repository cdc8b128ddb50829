"""`MemoryScope`: one user's memory in an agent's hand: push, recall, correct, keep, and ask why."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Unpack

from pydantic import SkipValidation

from slowwave.core.feedback import UNKNOWN
from slowwave.domain.arguments import (
    Id,
    Instance,
    Instant,
    Limit,
    Name,
    Number,
    Reason,
    Share,
    Timeout,
    checked,
    checked_type,
)
from slowwave.domain.delta import AppliedDelta, Kind, MemoryDelta
from slowwave.domain.episode import EpisodeFields, Item
from slowwave.domain.explanation import Explanation
from slowwave.domain.metrics.overview import Due
from slowwave.domain.receipt import Receipt, item_of
from slowwave.domain.recollection import Recollection
from slowwave.domain.retention import Conversation
from slowwave.domain.run import Report
from slowwave.domain.standing import Standing
from slowwave.inference.embedders.aside import embedding_aside
from slowwave.memory import answers, beliefs, storing, work
from slowwave.memory.consensus import Consensus
from slowwave.memory.context import Prompting
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.goals import Goals
from slowwave.memory.graph import Graph
from slowwave.memory.hearing import Hearing
from slowwave.memory.holdings import Holding
from slowwave.memory.patterns import Strategies
from slowwave.memory.reach import Reads
from slowwave.memory.reviewing import Reviewing
from slowwave.memory.stream import MemoryStream
from slowwave.memory.tools import Tools
from slowwave.memory.working import WorkingMemory, turns_of
from slowwave.ports import Embedder
from slowwave.store.beliefs import digest
from slowwave.store.beliefs.by_hand import apply_delta
from slowwave.store.retention import conversations, legal_holds
from slowwave.store.standing import accesses

Recalled = Instance[Recollection]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class MemoryScope(Hearing, Reviewing, Prompting, Holding):
    """The memory that one agent has of one user in one channel, or that all agents have.

    What is written, and whatever counts or lists, is of *scope*. `recall`, `facts` and `strategies` look in `reach`,
    which *reads* decides; each answer has the `scope` it is of, and those of different agents are not merged.
    """

    @checked
    def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
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
        return storing.push(self._parts, self.scope, item_of(item, fields))

    @checked
    def store_turn(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one message as `push` does, then keep it in mind of its session; return its receipt.

        It is in mind in `scope.working("s1")` then, where there is a cache; one that is away costs the copy alone.
        Raises what `push` raises, and `Incorrect` for an episode of another kind than `message`.
        """
        return storing.store_turn(self._parts, self.scope, item_of(item, fields))

    @checked
    def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store many episodes in their order; return one receipt each, `refused` with its error for a bad one."""
        return storing.push_many(self._parts, self.scope, items)

    @checked
    def consolidate(self, timeout: Timeout = 60.0) -> list[Report]:
        """Turn everything pending here into facts now, in this process; return how each run ended."""
        work.store_spooled(self._parts)
        work.fire(self._parts, self.scope.id)
        return work.drain(self._parts, self.scope.id, timeout)

    @checked
    def end_session(self, session: Name) -> list[Due]:
        """Say that a session is over, and return the work that is due because of it; once for what is stored now.

        What waits for sessions to end is named by cadences (`session_end: true`). An episode of kind `outcome` with
        the metadata `{"session_end": true}` says the same. Raises `Unavailable` when Postgres is away.
        """
        return work.end_session(self._parts, self.scope, session)

    @checked
    def sweep(self) -> dict[str, int]:
        """Move the memories that are due on their ladder now; return how many were looked at, and went which way.

        Those of this scope, and of others that lie in the same sixteenth of the tenant. Workers do so every hour, and
        where a session begins. What this process has counted is written first.
        """
        answers.write_accesses(self._parts)
        return dict(work.sweep(self._parts, self.scope))

    @checked
    def apply(self, delta: Annotated[MemoryDelta | dict[str, Any], SkipValidation]) -> uuid.UUID:
        """Apply a typed delta by hand; return its id, which is also the id of the fact an add or update makes.

        Applying the same delta again changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` when what it replaces cannot be told for certain, `NotFound` for a source that is not
        there, and `Conflict` while a worker holds the scope.
        """
        parts = self._parts

        def apply(embedder: Embedder) -> uuid.UUID:
            with parts.database.tenant(self.scope.tenant) as connection:
                return apply_delta(connection, self.scope, delta, embedder, parts.predicates, masking=parts.masking)

        return embedding_aside(parts.embedder_for(self.scope), apply)

    @checked
    def deltas(
        self, *, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
        after: Id | None = None, limit: Limit = 100,
    ) -> list[AppliedDelta]:  # fmt: skip
        """Return the deltas that changed the beliefs here, in the order they were applied; see `Memory.deltas`."""
        return beliefs.applied(
            self._parts, self.scope.tenant, self.scope.id, run=run, since=since, kind=kind, after=after, limit=limit
        )

    @checked
    def promote(self, fact: Id, *, reason: Reason) -> uuid.UUID:
        """Promote a fact of this project channel to `_global`; return the fact that it is there.

        What the thresholds ask for is waived; the *reason* is kept. Promoting what is promoted changes nothing. It is
        taken back when the fact is believed here no longer. Raises `NotFound`, `Incorrect` for a fact of `_global`,
        `FactConflictError` for one that is not believed and so now, or about which something newer is known
        everywhere, and `Conflict` while a worker holds `_global`.
        """
        return beliefs.promote(self._parts, fact, reason, tenant=self.scope.tenant, scope=self.scope)

    @checked
    def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, by its id or the beginning of it; asked in *session*, for the audit.

        Raises `NotFound`.
        """
        return beliefs.why(self._parts, fact, tenant=self.scope.tenant, scope=self.scope, session=session)

    @checked
    def digest(self) -> str:
        """Return a hash over everything believed here."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return digest.digest(connection, self.scope.id)

    @checked
    def archive(self, session: Name) -> bool:
        """Archive a conversation: out of recall, unless asked for, while what was learned from it stays believed.

        Returns False when it was archived already. Whatever is said there later brings it back. Raises `NotFound` for a
        session nothing was said in, and `Conflict` while a legal hold covers it.
        """
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.archive(connection, self.scope.id, session)

    @checked
    def restore(self, session: Name) -> bool:
        """Take a conversation out of the archive; return False when it was not there.

        It is archived again no sooner than if somebody had spoken there now. Raises `NotFound` for a session nothing
        was said in, and for one that expired because its retention has passed.
        """
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.restore(connection, self.scope.id, session)

    @checked
    def archived(self) -> list[Conversation]:
        """Return the archived conversations here, those archived last first."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.listing(connection, self.scope.id)

    @checked
    def hold(self, reason: Reason) -> int:
        """Place a legal hold on all that is remembered here; return its number. See `Memory.hold`."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return legal_holds.add(connection, self.scope.id, reason)

    @checked
    def feedback(self, recollection: Recalled, useful: Share | bool = UNKNOWN) -> Standing:
        """Tell how useful a recollection was, from 0 to 1, or whether it was; return its standing then.

        More useful than its score had promised is a surprise, and useful at all a success: both may lift it. Raises
        `Incorrect` for another number.
        """
        one = answers.returned(self.scope.tenant, recollection)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return accesses.feedback(connection, one, useful=float(useful), predicted=recollection.score)

    @checked
    def pin(self, recollection: Recalled) -> None:
        """Keep a memory from fading, moving and being evicted, until it is unpinned."""
        self._pin(recollection, pinned=True)

    @checked
    def unpin(self, recollection: Recalled) -> None:
        """End the pin of a memory: it fades and moves again."""
        self._pin(recollection, pinned=False)

    @checked
    def standing(self, memory: Recalled | uuid.UUID) -> Standing:
        """Return the standing of a memory: tier, accesses, surprise. Raises `NotFound` if that is not known.

        *memory* is what recall returned, or the id of a memory of this scope. What was just recalled is counted first.
        """
        own, tenant = self.scope.id, self.scope.tenant
        scope, id_ = answers.returned(tenant, memory).key if isinstance(memory, Recollection) else (own, memory)
        answers.write_accesses(self._parts)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return accesses.of(connection, scope, id_)

    @checked
    def working(self, conversation: Name) -> WorkingMemory:
        """Return the working memory of one conversation. Raises `Unavailable` where there is no cache."""
        return WorkingMemory(turns_of(self._parts, self.scope, conversation))

    @property
    def goals(self) -> Goals:
        """The goals the agent has here."""
        return Goals(self._parts, self.scope)

    @property
    def consensus(self) -> Consensus:
        """The consensus of the user's agents, and the dissent."""
        return Consensus(self._parts, self.scope)

    @property
    def continuum(self) -> ContinuumMemory:
        """Entries by timescale and importance, which rise and fall by themselves."""
        return ContinuumMemory(self._parts, self.scope)

    @property
    def stream(self) -> MemoryStream:
        """The episodes of the agent here, in the order of time."""
        return MemoryStream(self._parts, self.scope)

    @property
    def tools(self) -> Tools:
        """The calls of the agent's tools here."""
        return Tools(self._parts, self.scope, self.reads)

    @property
    def strategies(self) -> Strategies:
        """The strategies for getting things done here, and how the tools have done."""
        return Strategies(self._parts, self.scope, self.reads)

    @property
    def graph(self) -> Graph:
        """The graph of what is known here: entities, and what holds between them."""
        return Graph(self._parts, self.scope, self.reads)

    @checked
    def in_channel(self, channel: Name) -> "MemoryScope":
        """Return the same agent's memory of the same user in another channel, or all agents' where none was named."""
        reads: Reads = "agent" if self.reads == "agent" else "channel"
        return replace(self, scope=replace(self.scope, channel=channel), reads=reads)

    def _pin(self, recollection: Recollection, *, pinned: bool) -> None:
        with self._parts.database.tenant(self.scope.tenant) as connection:
            accesses.pin(connection, answers.returned(self.scope.tenant, recollection), pinned=pinned)
