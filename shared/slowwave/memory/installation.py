"""The memories of an installation: one object a process holds, for whom it may ask and what it may tell of them."""

import uuid
from types import TracebackType
from typing import Annotated, Self, Unpack, cast

from pydantic import Field

from slowwave import wiring
from slowwave.brief import brief
from slowwave.domain.arguments import Hours, Id, Instance, Instant, Limit, Name, Number, Reason, Timeout, checked
from slowwave.domain.dead_letter import Review, Verdict
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.explanation import Explanation
from slowwave.domain.metrics.stats import Stats
from slowwave.domain.retention import Conversation, Hold, Preview
from slowwave.domain.run import Report
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.domain.spaces import EmbeddingSpace
from slowwave.errors import Incorrect
from slowwave.memory import answers, beliefs, work
from slowwave.memory.face import TheParts
from slowwave.memory.hearing import HearingAll
from slowwave.memory.moving import Moving
from slowwave.memory.operating import Operator
from slowwave.memory.reach import reads
from slowwave.memory.scope import MemoryScope
from slowwave.outbox import Outbox
from slowwave.remote import connected
from slowwave.remote.wire import is_http
from slowwave.store.beliefs.digest import digest as stored_digest
from slowwave.store.retention import conversations, legal_holds
from slowwave.store.retention.preview import preview
from slowwave.wiring import Options, Settings

MOST_DAYS = 36_525
"""As far as a preview looks ahead: a century."""
Days = Annotated[float, Field(ge=0, le=MOST_DAYS, allow_inf_nan=False)]
OneScope = Instance[MemoryScope]


class Memory(HearingAll, Moving):
    """The memories of an installation. Safe to share between threads; make one a process and `close` it.

    What concerns one agent, user and channel stands on what `scope` returns.
    """

    @checked
    def __init__(self, parts: TheParts) -> None:
        self._parts = parts

    @classmethod
    def connect(cls, url: str | None = None, *, key: str | None = None, **settings: Unpack[Options]) -> Self:
        """Return a memory on the Postgres at *url*, else at SLOWWAVE_URL, else on the embedded one.

        Or one with the same verbs on the server at *url*, where that begins with http:// or https://: a
        `RemoteMemory`, asked with *key*, which takes no other settings.

        *settings* go before the environment's. The embedded Postgres is started and migrated when nobody runs it;
        it ends with the last process that asked for it. Raises `Incorrect` for settings that cannot be, and
        `Unavailable` when the database is away.
        """
        if is_http(url):
            return cast(Self, connected(url, key, settings))
        if key is not None:
            raise Incorrect("key: goes with a url that begins with http:// or https://", hint="Postgres asks for none")
        chosen = {**settings, **({} if url is None else {"url": url})}
        parts = wiring.open_parts(Settings.load(**chosen))
        if parts.spooler is not None:
            parts.spooler.wake()
        return cls(parts)

    @property
    def outbox(self) -> Outbox | None:
        """The outbox, which keeps episodes on this host while Postgres is away, and those that were refused."""
        return self._parts.outbox

    @checked
    def scope(
        self, user: Name, *, agent: Name | None = None, channel: Name | None = None, tenant: Name | None = None
    ) -> MemoryScope:
        """Return the memory that *agent* has of *user* in *channel*.

        Where no agent is named, `recall`, `facts` and `strategies` read what all agents know of the user, in every
        channel, or in *channel* and `_global`; whatever is written, and all else, is of the agent `default`. Where no
        channel is named, that is in `_global`.
        """
        here = Scope(self._tenant(tenant), user, agent or "default", channel or GLOBAL_CHANNEL)
        return MemoryScope(self._parts, here, reads(agent, channel))

    @checked
    def why(self, fact: Id, *, tenant: Name | None = None, session: Name | None = None) -> Explanation:
        """Return why a fact is or was believed, down to the words, by its id or a beginning that is no other's.

        *session* is the one in which you ask: it stands in the audit. Raises `NotFound`, and `Incorrect` naming the
        facts that a beginning could mean.
        """
        return beliefs.why(self._parts, fact, tenant=self._tenant(tenant), session=session)

    @checked
    def deltas(
        self,
        *,
        run: Number | None = None,
        since: Instant | None = None,
        kind: Kind | None = None,
        after: Id | None = None,
        limit: Limit = 100,
        tenant: Name | None = None,
    ) -> list[AppliedDelta]:
        """Return at most *limit* deltas, everything that changed what is believed, in the order they were applied.

        Those of one *run*, of one *kind*, applied at *since* or later. Go on behind the last one by handing its id back
        as *after*: within a scope that misses none. Over several scopes a run that ends late may appear before what
        was seen already: `follow` waits for it. Raises `NotFound` for an *after* that is no delta.
        """
        return beliefs.applied(
            self._parts, self._tenant(tenant), None, run=run, since=since, kind=kind, after=after, limit=limit
        )

    @checked
    def review(
        self, *, limit: Limit | None = None, after: Number | None = None, tenant: Name | None = None
    ) -> list[Review]:
        """Return the reviews of a tenant: claims that nobody could decide for certain, oldest first.

        Of many take *limit* at once, and go on with *after*, the number of the last one.
        """
        return beliefs.review(self._parts, self._tenant(tenant), None, after=after, limit=limit)

    @checked
    def decide(
        self,
        number: Number,
        verdict: Verdict,
        *,
        by: Name,
        object: Name | None = None,
        replaces: Id | None = None,
        tenant: Name | None = None,
    ) -> uuid.UUID:
        """Decide a review: `accept` what it claims, `reject` it, or `edit` its *object*; return the delta's id.

        The delta names the person *by* whom it was decided. Where several beliefs could be meant, *replaces* says which
        gives way. Raises `NotFound` for a review that does not wait, `Incorrect`, `FactConflictError` when what it
        would replace is believed no longer, and `Conflict` while a worker holds the scope.
        """
        return beliefs.decide(
            self._parts, self._tenant(tenant), None, number, verdict, by=by, object=object, replaces=replaces
        )

    @checked
    def operator(self, *, tenant: Name | None = None) -> Operator:
        """Return the tenant's installation as its operator sees it: people, runs, what waits, what was not used."""
        return Operator(self._parts, self._tenant(tenant))

    @checked
    def promote_to_global(self, fact: Id, reason: Reason, *, tenant: Name | None = None) -> uuid.UUID:
        """Promote a fact of any project channel to `_global`; see `MemoryScope.promote`."""
        return beliefs.promote(self._parts, fact, reason, tenant=self._tenant(tenant), scope=None)

    @checked
    def digest(self, *, tenant: Name | None = None) -> str:
        """Return a hash over everything the tenant believes or believed, free of ids, counters and recorded times."""
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            return stored_digest(connection)

    @checked
    def stats(self, *, tenant: Name | None = None, hours: Hours = 24) -> Stats:
        """Return the statistics: sizes, latency of recalls and hits, the lag of the work, and the tiers.

        What happens is counted by the hour, of all processes; *hours* says how far back. This process's own counts are
        written down first.
        """
        return answers.stats(self._parts, self._tenant(tenant), hours=hours)

    @checked
    def archived(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> list[Conversation]:
        """Return the archived conversations of one scope or of a tenant, those archived last first."""
        if scope is not None:
            return scope.archived()
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            return conversations.listing(connection, None)

    @checked
    def hold(self, scope: OneScope | None, reason: Reason, *, tenant: Name | None = None) -> int:
        """Place a legal hold on *scope*, or on all of a tenant where it is None; return its number.

        While it is in force nothing there is archived, expired, dropped, tombstoned or forgotten by any job. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope in which nothing is remembered.
        """
        if scope is not None:
            return scope.hold(reason)
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.add(connection, None, reason)

    @checked
    def release(self, hold: Number, *, tenant: Name | None = None) -> bool:
        """Release a legal hold; return whether it was in force. What is due by then goes with the next night."""
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.release(connection, hold)

    @checked
    def holds(self, *, tenant: Name | None = None) -> list[Hold]:
        """Return every legal hold there is or was, those in force first."""
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.listing(connection)

    @checked
    def archive_preview(self, days: Days = 30, *, tenant: Name | None = None) -> Preview:
        """Return what would be archived, fade, be dropped or tombstoned within *days*; nothing is written.

        It is decided as the jobs do, as if nobody said, asked or held anything meanwhile. Raises `Incorrect` for days
        before today or beyond a century.
        """
        return preview(self._parts.database, self._tenant(tenant), days)

    @checked
    def reembed(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> int:
        """Begin to move *scope*, or all of a tenant, to the space of this memory's embedder; return how many scopes.

        Workers do it. A scope answers in the space it is in until all of it is in the other; then it answers in that
        one, and the vectors nobody asks any more go. What is believed does not change. Repeating it is safe, and makes
        whole what is not; `keep_embedding` calls it off.
        """
        return self._parts.spaces.begin(
            self._moved(scope, tenant), (self._parts.embedder.space, self._parts.embedder.dimensions)
        )

    @checked
    def keep_embedding(self, scope: OneScope | None = None, *, tenant: Name | None = None) -> int:
        """Call off the moves of *scope*, or of all of a tenant, to another space; return how many there were.

        They go on answering in the space they are in. What was made of the other goes when they are moved next.
        """
        return self._parts.spaces.call_off(self._moved(scope, tenant))

    @checked
    def embedding_spaces(self, *, tenant: Name | None = None) -> list[EmbeddingSpace]:
        """Return the embedding spaces in which scopes of a tenant answer, and those that scopes are on the way to."""
        return self._parts.spaces.listing(self._tenant(tenant))

    @checked
    def drain(self, timeout: Timeout = 60.0) -> list[Report]:
        """Run everything that is due in this process until nothing is; return how each run ended.

        What waits in the outbox is stored first, and what other workers hold is waited for. Raises `Unavailable` after
        *timeout* seconds.
        """
        work.store_spooled(self._parts)
        answers.write_accesses(self._parts)
        return work.drain(self._parts, None, timeout)

    def close(self) -> None:
        """Ring what is to be rung, close connections, and end embedded services this process started."""
        self._parts.close()

    def __repr__(self) -> str:
        return brief(self, f"tenant {self._parts.settings.tenant}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _moved(self, scope: MemoryScope | None, tenant: str | None) -> list[Scope]:
        return self._parts.records.scopes(self._tenant(tenant)) if scope is None else [scope.scope]

    def _tenant(self, tenant: str | None) -> str:
        return self._parts.settings.tenant if tenant is None else tenant
