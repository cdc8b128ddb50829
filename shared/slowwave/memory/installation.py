"""The memories of an installation: one object a process holds, for whom it may ask and what it may tell of them."""

import uuid
from types import TracebackType
from typing import Any, Self

from slowwave import wiring
from slowwave.domain.explanation import Explanation
from slowwave.domain.retention import Conversation, Hold, Preview
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.domain.stats import Stats
from slowwave.errors import Incorrect
from slowwave.jobs.run import Report
from slowwave.memory import answers, beliefs, work
from slowwave.memory.scope import MemoryScope
from slowwave.outbox import Outbox
from slowwave.store.beliefs import reading
from slowwave.store.retention import conversations, legal_holds
from slowwave.store.retention.preview import preview
from slowwave.wiring import Parts, Settings

MOST_DAYS = 36_525
"""As far as a preview looks ahead: a century."""


class Memory:
    """The memories of an installation. Safe to share between threads; make one a process and `close` it.

    What concerns one agent, user and channel stands on what `scope` returns. *parts* are those of the process, for who
    operates it.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

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
        return self.parts.outbox

    def scope(
        self, user: str, *, agent: str = "default", channel: str = GLOBAL_CHANNEL, tenant: str | None = None
    ) -> MemoryScope:
        """Return what *agent* remembers of *user* in *channel*."""
        return MemoryScope(self.parts, Scope(self._tenant(tenant), user, agent, channel))

    def why(self, fact: uuid.UUID | str, *, tenant: str | None = None) -> Explanation:
        """Return why a fact is or was believed, down to the words. Raises `NotFound`."""
        return beliefs.why(self.parts, fact, tenant=self._tenant(tenant))

    def promote_to_global(self, fact: uuid.UUID | str, reason: str, *, tenant: str | None = None) -> uuid.UUID:
        """Let the agent know a fact of any project channel everywhere; see `MemoryScope.promote`."""
        return beliefs.promote(self.parts, fact, reason, tenant=self._tenant(tenant), scope=None)

    def digest(self, *, tenant: str | None = None) -> str:
        """Return a hash over everything the tenant believes or believed, free of ids, counters and recorded times."""
        with self.parts.database.tenant(self._tenant(tenant)) as connection:
            return reading.digest(connection)

    def stats(self, *, tenant: str | None = None, hours: int = 24) -> Stats:
        """Return how much there is, how fast and how often recall answered, how far behind the work is, and the tiers.

        What happens is counted by the hour, of all processes; *hours* says how far back. This process's own counts are
        written down first.
        """
        return answers.stats(self.parts, self._tenant(tenant), hours=hours)

    def archived(self, scope: MemoryScope | None = None, *, tenant: str | None = None) -> list[Conversation]:
        """Return the conversations that are put away, of one scope or of a tenant, those put away last first."""
        if scope is not None:
            return scope.archived()
        with self.parts.database.tenant(self._tenant(tenant)) as connection:
            return conversations.listing(connection, None)

    def hold(self, scope: MemoryScope | None, reason: str, *, tenant: str | None = None) -> int:
        """Place a legal hold on *scope*, or on all of a tenant where it is None; return its number.

        While it is in force nothing there is archived, expired, dropped, tombstoned or forgotten by any job. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope in which nothing is remembered.
        """
        if scope is not None:
            return scope.hold(reason)
        with self.parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.place(connection, None, reason)

    def release(self, hold: int, *, tenant: str | None = None) -> bool:
        """End a hold; return whether it was in force. What is due by then goes with the next night."""
        with self.parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.release(connection, hold)

    def holds(self, *, tenant: str | None = None) -> list[Hold]:
        """Return every hold there is or was, those in force first."""
        with self.parts.database.tenant(self._tenant(tenant)) as connection:
            return legal_holds.listing(connection)

    def archive_preview(self, days: float = 30, *, tenant: str | None = None) -> Preview:
        """Return what would be archived, fade, be dropped or tombstoned within *days*; nothing is written.

        It is decided as the jobs do, as if nobody said, asked or held anything meanwhile. Raises `Incorrect` for days
        before today or beyond a century.
        """
        if not 0 <= days <= MOST_DAYS:
            raise Incorrect.listing("the preview", [f"days: must be 0 to {MOST_DAYS}, got {days:g}"], hint="look ahead")
        return preview(self.parts.database, self._tenant(tenant), days)

    def drain(self, timeout: float = 60.0) -> list[Report]:
        """Run everything that is due in this process until nothing is; return how each run ended.

        What waits in the outbox is stored first, and what other workers hold is waited for. Raises `Unavailable` after
        *timeout* seconds.
        """
        work.store_spooled(self.parts)
        answers.write_accesses(self.parts)
        return work.drain(self.parts, None, timeout)

    def close(self) -> None:
        """Ring what is to be rung, close connections, and end embedded services this process started."""
        self.parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _tenant(self, tenant: str | None) -> str:
        return tenant or self.parts.settings.tenant
