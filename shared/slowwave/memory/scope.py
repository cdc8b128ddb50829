"""`MemoryScope`: an agent's memory of one user, with verbs to push, recall, correct, retain and explain."""

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
from slowwave.domain.overview import Due
from slowwave.domain.receipt import Receipt, item_of
from slowwave.domain.recollection import Recollection
from slowwave.domain.retention import Conversation
from slowwave.domain.run import Report
from slowwave.domain.standing import Standing
from slowwave.inference.embedders.vectors import embed_before_transaction
from slowwave.memory import beliefs, counted_recall, due_work, ingestion
from slowwave.memory.consensus import Consensus
from slowwave.memory.context import Prompting
from slowwave.memory.continuum import ContinuumMemory
from slowwave.memory.erasing import Erasing
from slowwave.memory.goals import Goals
from slowwave.memory.graph import Graph
from slowwave.memory.patterns import Strategies
from slowwave.memory.profile import ProfileVerbs
from slowwave.memory.reviews import ReviewVerbs
from slowwave.memory.stream import MemoryStream
from slowwave.memory.subscriptions import ScopeSubscriptions
from slowwave.memory.tools import Tools
from slowwave.memory.undoing import Undoing
from slowwave.memory.working_memory import WorkingMemory, turns_of
from slowwave.ports import Embedder
from slowwave.retrieval.reach import Reads
from slowwave.store.beliefs import digest
from slowwave.store.beliefs.manual_corrections import apply_delta
from slowwave.store.memory_state import accesses
from slowwave.store.retention import conversations, legal_holds

Recalled = Instance[Recollection]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class MemoryScope(ScopeSubscriptions, ReviewVerbs, Undoing, Erasing, Prompting, ProfileVerbs):
    """The memory that one agent, or all agents together, have of one user in one channel.

    Writes, counts and listings use *scope*. `recall`, `facts` and `strategies` search `reach`, which depends on
    *reads*. Each result names its `scope`. Equal results of different agents are not merged.
    """

    @checked
    def push(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one episode durably, then notify a worker; return its receipt.

        *item* is an `Episode`, a mapping with its fields, or its content, with other *fields* as arguments:

            scope.push("I moved to Oslo last week", role="user", session="s1")

        The receipt is `stored` once the episode is committed in Postgres, even if the broker is down. A second push
        with the same key stores nothing. Raises `Incorrect` with every problem of the episode, `Conflict` if the key
        already has other content, and `Unavailable` when Postgres is down. After `Unavailable`, push again with the
        same key.

        If SLOWWAVE_OUTBOX is set and Postgres is down, the receipt is `spooled`. Such an episode is on this host's
        disk, and is stored under the same key once Postgres is back. The default of `occurred_at` is the time of
        storage.
        """
        return ingestion.push(self._parts, self.scope, item_of(item, fields))

    @checked
    def store_turn(self, item: Annotated[Item, SkipValidation], **fields: Unpack[EpisodeFields]) -> Receipt:
        """Store one message as `push` does, then add the message to the session's working memory; return the receipt.

        If there is a cache, `scope.working("s1")` then has the turn. Without a reachable cache, the message is still
        stored. Raises the errors of `push`, and `Incorrect` for an episode of a kind other than `message`.
        """
        return ingestion.store_turn(self._parts, self.scope, item_of(item, fields))

    @checked
    def push_many(self, items: Annotated[Iterable[Item], SkipValidation]) -> list[Receipt]:
        """Store episodes in order; return one receipt per episode, which is `refused` for an invalid episode.

        Raises `Incorrect` if episodes without keys exceed a full quota together, and `Crowded` while a quota is used
        up. After each error, a repeat of the call stores no episode twice.
        """
        return ingestion.push_many(self._parts, self.scope, items)

    @checked
    def consolidate(self, timeout: Timeout = 60.0) -> list[Report]:
        """Consolidate all pending episodes of this scope into facts now, in this process; return a report per run."""
        due_work.store_spooled(self._parts, self.scope.tenant)
        due_work.fire(self._parts, self.scope.id)
        return due_work.drain(self._parts, self.scope.id, timeout)

    @checked
    def end_session(self, session: Name) -> list[Due]:
        """End a session: make the packs due that wait for the end of sessions, once; return the work that is now due.

        A pack waits for the end if its cadence (its schedule) has `session_end: true`. An episode of kind `outcome`
        with the metadata `{"session_end": true}` has the same effect as this method. Raises `Unavailable` when Postgres
        is down.
        """
        return due_work.end_session(self._parts, self.scope, session)

    @checked
    def sweep(self) -> dict[str, int]:
        """Move due memories to another tier now; return the counts of memories that were checked and moved.

        A sweep covers this scope, and the other scopes of its slice (a sixteenth of the tenant). Workers sweep every
        hour, and at the start of a session. The method first writes the accesses that this process has counted.
        """
        counted_recall.write_accesses(self._parts)
        return dict(due_work.sweep(self._parts, self.scope))

    @checked
    def apply(self, delta: Annotated[MemoryDelta | dict[str, Any], SkipValidation]) -> uuid.UUID:
        """Apply a typed delta; return the id of the delta. If the delta adds or updates a fact, the new fact has the
        same id.

        A repeat with the same delta changes nothing. Raises `Incorrect` with every problem of the delta,
        `FactConflictError` if the fact to replace is ambiguous, `NotFound` for a missing source, and `Conflict` while a
        worker holds the scope.
        """
        parts = self._parts

        def apply(embedder: Embedder) -> uuid.UUID:
            with parts.quotas.writing(self.scope) as connection:
                return apply_delta(connection, self.scope, delta, embedder, parts.predicates, masking=parts.masking)

        return embed_before_transaction(parts.embedder_for(self.scope), apply)

    @checked
    def deltas(
        self, *, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
        after: Id | None = None, limit: Limit = 100,
    ) -> list[AppliedDelta]:  # fmt: skip
        """Return the deltas that changed beliefs of this scope, in the order of application; see `Memory.deltas`."""
        return beliefs.applied(
            self._parts, self.scope.tenant, self.scope.id, run=run, since=since, kind=kind, after=after, limit=limit
        )

    @checked
    def promote(self, fact: Id, *, reason: Reason) -> uuid.UUID:
        """Promote a fact of this project channel to `_global`; return the id of the fact there.

        The method ignores the thresholds of automatic promotion, and stores the *reason*. A repeat changes nothing.
        Slowwave revokes the promotion when the fact is no longer believed in this channel. Raises `NotFound`,
        `Incorrect` for a fact of `_global`, and `Conflict` while a worker holds `_global`. Raises `FactConflictError`
        if the fact is not believed and true now, or if `_global` has a newer fact.
        """
        return beliefs.promote(self._parts, fact, reason, tenant=self.scope.tenant, scope=self.scope)

    @checked
    def why(self, fact: Id, *, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words.

        *fact* is an id or a unique prefix of an id.

        *session* is the caller's session, for the audit log. Raises `NotFound`.
        """
        return beliefs.why(self._parts, fact, tenant=self.scope.tenant, scope=self.scope, session=session)

    @checked
    def digest(self) -> str:
        """Return a hash over all beliefs of this scope."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return digest.digest(connection, self.scope.id)

    @checked
    def archive(self, session: Name) -> bool:
        """Archive a conversation: by default, recall leaves out its episodes, but not the facts learned from them.

        Returns False if the conversation was already archived. A later message in the session restores the
        conversation. Raises `NotFound` for an unknown session, and `Conflict` while a legal hold covers the
        conversation.
        """
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.archive(connection, self.scope.id, session)

    @checked
    def restore(self, session: Name) -> bool:
        """Restore a conversation from the archive; return False if the conversation was not archived.

        The retention period starts again, as if a message had arrived now. Raises `NotFound` for an unknown or expired
        session.
        """
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.restore(connection, self.scope.id, session)

    @checked
    def archived(self) -> list[Conversation]:
        """Return the archived conversations of this scope, most recently archived first."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return conversations.listing(connection, self.scope.id)

    @checked
    def hold(self, reason: Reason) -> int:
        """Place a legal hold on all memories of this scope; return the number of the hold. See `Memory.hold`."""
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return legal_holds.add(connection, self.scope.id, reason)

    @checked
    def feedback(self, recollection: Recalled, useful: Share | bool = UNKNOWN) -> Standing:
        """Report how useful a recollection was, from 0 to 1 or as a boolean; return the memory's new standing.

        Usefulness above the recollection's score counts as a surprise. Usefulness above 0 counts as a success. Both may
        raise the memory's tier. Raises `Incorrect` for a number outside 0 to 1.
        """
        one = counted_recall.recalled_id(self.scope.tenant, recollection)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return accesses.feedback(connection, one, useful=float(useful), predicted=recollection.score)

    @checked
    def pin(self, recollection: Recalled) -> None:
        """Pin a memory. A pinned memory does not fade, does not move to another tier, and is not evicted."""
        self._pin(recollection, pinned=True)

    @checked
    def unpin(self, recollection: Recalled) -> None:
        """Unpin a memory. From now on, the memory fades and moves between tiers again."""
        self._pin(recollection, pinned=False)

    @checked
    def standing(self, memory: Recalled | uuid.UUID) -> Standing:
        """Return the standing of a memory: tier, accesses and surprise. Raises `NotFound` if there is no standing.

        *memory* is a recollection, or the id of a memory of this scope. The method first writes the accesses that this
        process has counted.
        """
        own, tenant = self.scope.id, self.scope.tenant
        scope, id_ = (
            counted_recall.recalled_id(tenant, memory).key if isinstance(memory, Recollection) else (own, memory)
        )
        counted_recall.write_accesses(self._parts)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return accesses.of(connection, scope, id_)

    @checked
    def working(self, conversation: Name) -> WorkingMemory:
        """Return the working memory of one conversation. Raises `Unavailable` if no cache is configured."""
        return WorkingMemory(turns_of(self._parts, self.scope, conversation))

    @property
    def goals(self) -> Goals:
        """The agent's goals in this scope."""
        return Goals(self._parts, self.scope)

    @property
    def consensus(self) -> Consensus:
        """The consensus and dissent of the user's agents."""
        return Consensus(self._parts, self.scope)

    @property
    def continuum(self) -> ContinuumMemory:
        """Memory entries by timescale and importance. Entries move between tiers automatically."""
        return ContinuumMemory(self._parts, self.scope)

    @property
    def stream(self) -> MemoryStream:
        """The agent's episodes in this scope, in order of time."""
        return MemoryStream(self._parts, self.scope)

    @property
    def tools(self) -> Tools:
        """The agent's tool calls in this scope."""
        return Tools(self._parts, self.scope, self.reads)

    @property
    def strategies(self) -> Strategies:
        """The agent's strategies in this scope, and statistics of the agent's tools."""
        return Strategies(self._parts, self.scope, self.reads)

    @property
    def graph(self) -> Graph:
        """The knowledge graph of this scope: entities and their relations."""
        return Graph(self._parts, self.scope, self.reads)

    @checked
    def in_channel(self, channel: Name) -> "MemoryScope":
        """Return the memory of the same user and agent (or all agents, if none was named) in another channel."""
        reads: Reads = "agent" if self.reads == "agent" else "channel"
        return replace(self, scope=replace(self.scope, channel=channel), reads=reads)

    def _pin(self, recollection: Recollection, *, pinned: bool) -> None:
        with self._parts.database.tenant(self.scope.tenant) as connection:
            accesses.pin(connection, counted_recall.recalled_id(self.scope.tenant, recollection), pinned=pinned)
