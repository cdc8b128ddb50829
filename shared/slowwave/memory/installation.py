"""The memories of an installation: the entry point of the library, with one object per process."""

import uuid
from typing import Annotated, Self, Unpack, cast

from pydantic import Field

from slowwave import wiring
from slowwave.domain.arguments import Hours, Id, Instance, Instant, Limit, Name, Number, Reason, Timeout, checked
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.embedding_spaces import EmbeddingSpace
from slowwave.domain.explanation import Explanation
from slowwave.domain.finding import Finding
from slowwave.domain.retention import Conversation, Hold, Preview
from slowwave.domain.run import Report
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.domain.stats import Stats
from slowwave.errors import Incorrect
from slowwave.formatting import brief
from slowwave.jobs.maintenance import FOLDS
from slowwave.memory import beliefs, counted_recall, due_work
from slowwave.memory.erasing import ErasingAll
from slowwave.memory.import_export import ImportExport
from slowwave.memory.operations import Encryption, Operator, Quotas
from slowwave.memory.scope import MemoryScope
from slowwave.memory.subscriptions import TenantSubscriptions
from slowwave.memory.undoing import UndoingAll
from slowwave.outbox import Outbox
from slowwave.remote import connected
from slowwave.remote.http import is_http
from slowwave.retrieval.reach import reads
from slowwave.runtime.closing import Closing
from slowwave.store.beliefs.digest import digest as stored_digest
from slowwave.store.retention import conversations, legal_holds
from slowwave.store.retention.archive import preview
from slowwave.wiring import Options, Settings

MOST_DAYS = 36_525
"""The longest look-ahead of a preview in days: a century."""
Days = Annotated[float, Field(ge=0, le=MOST_DAYS, allow_inf_nan=False)]
OneScope = Instance[MemoryScope]


class Memory(TenantSubscriptions, ImportExport, UndoingAll, ErasingAll, Closing):
    """The memories of an installation. Threads can share the object.

    Make one object per process, and `close` it at the end.

    The verbs of one agent, user and channel are on the object that `scope` returns.
    """

    @classmethod
    def connect(cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]) -> Self:
        """Return a memory on the Postgres at *url* or SLOWWAVE_URL; without both, on the embedded Postgres.

        If *url* begins with http:// or https://, the result is a `RemoteMemory` on that server, with the same verbs. A
        `RemoteMemory` sends *key* with every request, and accepts no other settings.

        *settings* override the settings of the environment. If the embedded Postgres does not run, this process starts
        and migrates it. The embedded Postgres ends with the last process that uses it. Raises `Incorrect` for invalid
        settings, and `Unavailable` when the database is down.
        """
        if is_http(url):
            return cast(Self, connected(url, key, settings))
        if key is not None:
            raise Incorrect("key: is only for a url that begins with http:// or https://", hint="Postgres needs no key")
        chosen = {**settings, **({} if url is None else {"url": url})}
        parts = wiring.open_parts(Settings.load(**chosen))
        if parts.spooler is not None:
            parts.spooler.wake()
        return cls(parts)

    @property
    def outbox(self) -> Outbox | None:
        """The outbox, or None.

        The outbox stores episodes on this host while Postgres is down, and keeps refused episodes.
        """
        return self._parts.outbox

    @checked
    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> MemoryScope:
        """Return the memory that *agent* has of *user* in *channel*.

        Without an agent, `recall`, `facts` and `strategies` read the memories of all the user's agents. These verbs
        search every channel or, if *channel* is given, *channel* and `_global`. All other verbs, and all writes, use
        the agent `default`. Without a channel, writes go to `_global`.
        """
        here = Scope(self._tenant(tenant), user, agent or "default", channel or GLOBAL_CHANNEL)
        return MemoryScope(self._parts, here, reads(agent, channel))

    @checked
    def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, with the original words.

        *fact* is an id or a unique prefix of an id.

        *session* is the caller's session, for the audit log. Raises `NotFound`. Raises `Incorrect` for an ambiguous
        prefix, with the facts that match the prefix.
        """
        return beliefs.why(self._at(tenant), fact, tenant=self._tenant(tenant), session=session)

    @checked
    def deltas(
        self, *, run: Number | None = None, since: Instant | None = None, kind: Kind | None = None,
        after: Id | None = None, limit: Limit = 100, tenant: Name | None = None,
    ) -> list[AppliedDelta]:  # fmt: skip
        """Return up to *limit* deltas, the changes of belief, in the order of application.

        Filters select one *run*, one *kind*, and deltas applied at *since* or later. To continue, pass the last delta's
        id as *after*. Within one scope, the pages miss no delta. Across scopes, a run that commits late may add deltas
        that belong before deltas already returned. `follow` waits for such runs. Raises `NotFound` if *after* is not
        the id of a delta.
        """
        return beliefs.applied(
            self._at(tenant), self._tenant(tenant), None, run=run, since=since, kind=kind, after=after, limit=limit
        )

    @checked
    def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the open reviews of a tenant, oldest first. A review is a claim that needs a person's decision.

        Returns at most *limit*. To continue, pass the number of the last review as *after*.
        """
        return beliefs.review(self._at(tenant), self._tenant(tenant), None, after=after, limit=limit)

    @checked
    def decide(
        self, number: Number, verdict: Verdict, *, by: Name, object: Name | None = None, replaces: Id | None = None,
        tenant: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Decide a review: `accept` the claim, `reject` the claim, or `edit` its *object*; return the id of the delta.

        *by* is the person who decides; the delta records this name. If the claim could replace several facts,
        *replaces* selects one of these facts. Raises `NotFound` for a review that is not open, `Incorrect` for an
        invalid decision, `FactConflictError` if the fact to replace is no longer believed, and `Conflict` while a
        worker holds the scope.
        """
        return beliefs.decide(
            self._at(tenant), self._tenant(tenant), None, number, verdict, by=by, object=object, replaces=replaces
        )

    @checked
    def operator(self, *, tenant: Name | None = None) -> Operator:
        """Return the operator's queries and actions for a tenant: people, runs, pending work and dead letters."""
        return Operator(self._parts, self._tenant(tenant))

    @property
    def quotas(self) -> Quotas:
        """The quotas of tenants and their users."""
        return Quotas(self._parts)

    @property
    def encryption(self) -> Encryption:
        """The data keys of tenants, which encrypt words at rest."""
        return Encryption(self._parts)

    @checked
    def promote_to_global(self, fact: Id, reason: Reason, *, tenant: Name | None = None) -> uuid.UUID:
        """Promote a fact of any project channel to `_global`; return the id of the fact there.

        See `MemoryScope.promote`.
        """
        return beliefs.promote(self._at(tenant), fact, reason, tenant=self._tenant(tenant), scope=None)

    @checked
    def digest(self, *, tenant: Name | None = None) -> str:
        """Return a hash over all present and past beliefs of the tenant, without ids, counters and recording times."""
        with self._at(tenant).database.tenant(self._tenant(tenant)) as connection:
            return stored_digest(connection)

    @checked
    def check(self, *, rebuild: bool = False) -> list[Finding]:
        """Return the violations of invariants in all tenants; a sound installation has none. Writes nothing.

        With *rebuild*, the method rebuilds the facts of every scope from the ledger, and checks every seal and every
        episode, instead of a daily selection of scopes.
        """
        cells = self._parts.each_cell().values()
        return [
            one for cell in cells for one in wiring.checks(cell.database).findings(folds=None if rebuild else FOLDS)
        ]

    @checked
    def stats(self, *, tenant: Name | None = None, hours: Hours = 24) -> Stats:
        """Return statistics: sizes, latency and hits of recall, the lag of pending work, and the tiers.

        The statistics cover the events of all processes in the last *hours*. The method writes this process's own
        counts first.
        """
        return counted_recall.stats(self._at(tenant), self._tenant(tenant), hours=hours)

    @checked
    def archived(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> list[Conversation]:
        """Return the archived conversations of one scope or of a tenant, most recently archived first."""
        if scope is not None:
            return scope.archived()
        with self._at(tenant).database.tenant(self._tenant(tenant)) as connection:
            return conversations.listing(connection, None)

    @checked
    def hold(self, scope: OneScope | None, reason: Reason, *, tenant: Name | None = None) -> int:
        """Place a legal hold on *scope*, or on the whole tenant if *scope* is None; return the number of the hold.

        While the hold is in force, no job archives, expires, drops, tombstones or forgets a memory there. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope without memories.
        """
        if scope is not None:
            return scope.hold(reason)
        with self._at(tenant).database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.add(connection, None, reason)

    @checked
    def release(self, hold: Number, *, tenant: Name | None = None) -> bool:
        """Release a legal hold; return whether the hold was in force.

        The jobs of the next night remove memories that are due.
        """
        with self._at(tenant).database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.release(connection, hold)

    @checked
    def holds(self, *, tenant: Name | None = None) -> list[Hold]:
        """Return every present and past legal hold; holds in force come first."""
        with self._at(tenant).database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.listing(connection)

    @checked
    def archive_preview(self, days: Days = 30, *, tenant: Name | None = None) -> Preview:
        """Return the memories that jobs would archive, withdraw, drop or tombstone within *days*. Writes nothing.

        The preview assumes that until then no memory is added, recalled or placed under a legal hold. Raises
        `Incorrect` for negative *days* or more than a century.
        """
        return preview(self._at(tenant).database, self._tenant(tenant), days)

    @checked
    def reembed(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> int:
        """Start to move *scope*, or a whole tenant, to the space of this memory's embedder; return the number of
        scopes.

        Workers embed the memories of these scopes again. Recall searches a scope in its old space until the move is
        complete; then workers delete the old vectors. Beliefs do not change. A repeated call is safe, and adds missing
        vectors. `keep_embedding` cancels the move.
        """
        return self._at(tenant).spaces.begin(
            self._moved(scope, tenant), (self._at(tenant).embedder.space, self._at(tenant).embedder.dimensions)
        )

    @checked
    def keep_embedding(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> int:
        """Cancel the moves of *scope*, or of a whole tenant, to another embedding space; return the number of cancelled
        moves.

        The scopes stay in their current space. The next move deletes the new vectors made so far.
        """
        return self._at(tenant).spaces.call_off(self._moved(scope, tenant))

    @checked
    def embedding_spaces(self, *, tenant: Name | None = None) -> list[EmbeddingSpace]:
        """Return the embedding spaces that scopes of a tenant use, and the spaces to which scopes are being moved."""
        return self._at(tenant).spaces.listing(self._tenant(tenant))

    @checked
    def drain(self, timeout: Timeout = 60.0) -> list[Report]:
        """Do all due work in this process until no work is left; return a report per run.

        The method first stores the episodes of the outbox, and waits for work that other workers hold. Raises
        `Unavailable` after *timeout* seconds.
        """
        due_work.store_spooled(self._parts)
        cells = self._parts.each_cell().values()
        for cell in cells:
            counted_recall.write_accesses(cell)
        return [report for cell in cells for report in due_work.drain(cell, None, timeout)]

    def close(self) -> None:
        """Send pending notifications, close connections, and stop embedded services that this process started."""
        self._parts.close()

    def __repr__(self) -> str:
        return brief(self, f"tenant {self._parts.settings.tenant}")

    def _moved(self, scope: MemoryScope | None, tenant: str | None) -> list[Scope]:
        return self._at(tenant).records.scopes(self._tenant(tenant)) if scope is None else [scope.scope]
