"""What is put away and brought back, what is held, and what would go: of an installation, and of one scope."""

from typing import TYPE_CHECKING

from slowwave import wiring
from slowwave.domain.keeping import Conversation, Hold, Preview
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.store.retention import conversations, legal_holds
from slowwave.store.retention.preview import preview

if TYPE_CHECKING:
    from slowwave.memory.installation import Memory

MOST_DAYS = 36_525
"""As far as a preview looks ahead: a century."""


class Keeping:
    """What a `Memory` can do about what is kept."""

    _parts: wiring.Parts

    def archive(self, scope: Scope, session: str) -> bool:
        """Put a conversation away; see `MemoryScope.archive`."""
        with self._parts.database.tenant(scope.tenant) as connection:
            return conversations.archive(connection, scope.id, session)

    def restore(self, scope: Scope, session: str) -> bool:
        """Bring a conversation back; see `MemoryScope.restore`."""
        with self._parts.database.tenant(scope.tenant) as connection:
            return conversations.restore(connection, scope.id, session)

    def archived(self, scope: Scope | None = None, *, tenant: str | None = None) -> list[Conversation]:
        """Return the conversations that are put away, of one scope or of a tenant, those put away last first."""
        with self._parts.database.tenant(self._tenant_of(scope, tenant)) as connection:
            return conversations.listing(connection, scope.id if scope else None)

    def hold(self, scope: Scope | None, reason: str, *, tenant: str | None = None) -> int:
        """Place a legal hold on *scope*, or on all of a tenant where it is None; return its number.

        While it is in force nothing there is archived, given up, dropped, laid to rest or forgotten by any job. Raises
        `Incorrect` without a *reason*, and `NotFound` for a scope in which nothing is remembered.
        """
        with self._parts.database.tenant(self._tenant_of(scope, tenant)) as connection:
            return legal_holds.place(connection, scope.id if scope else None, reason)

    def release(self, hold: int, *, tenant: str | None = None) -> bool:
        """End a hold; return whether it was in force. What is due by then goes with the next night."""
        with self._parts.database.tenant(self._tenant_of(None, tenant)) as connection:
            return legal_holds.release(connection, hold)

    def holds(self, *, tenant: str | None = None) -> list[Hold]:
        """Return every hold there is or was, those in force first."""
        with self._parts.database.tenant(self._tenant_of(None, tenant)) as connection:
            return legal_holds.listing(connection)

    def archive_preview(self, days: float = 30, *, tenant: str | None = None) -> Preview:
        """Return what would be archived, fade, be dropped or laid to rest within *days*; nothing is written.

        It is decided as the jobs do, as if nobody said, asked or held anything meanwhile. Raises `Incorrect` for days
        before today or beyond a century.
        """
        if not 0 <= days <= MOST_DAYS:
            raise Incorrect.listing("the preview", [f"days: must be 0 to {MOST_DAYS}, got {days:g}"], hint="look ahead")
        return preview(self._parts.database, self._tenant_of(None, tenant), days)

    def _tenant_of(self, scope: Scope | None, tenant: str | None) -> str:
        return scope.tenant if scope else tenant or self._parts.settings.tenant


class ScopeKeeping:
    """What a `MemoryScope` can do about what is kept."""

    __slots__ = ()
    memory: "Memory"
    scope: Scope

    def archive(self, session: str) -> bool:
        """Put a conversation away: out of recall, unless asked for, while what was learned from it stays believed.

        Returns False when it was archived already. Whatever is said there later brings it back. Raises `NotFound` for a
        session nothing was said in, and `Conflict` while a legal hold covers it.
        """
        return self.memory.archive(self.scope, session)

    def restore(self, session: str) -> bool:
        """Bring an archived conversation back; return False when it was not archived.

        It is archived again no sooner than if somebody had spoken there now. Raises `NotFound` for a session nothing
        was said in, and for one that was given up because its retention has passed.
        """
        return self.memory.restore(self.scope, session)

    def archived(self) -> list[Conversation]:
        """Return the conversations that are put away here, those put away last first."""
        return self.memory.archived(self.scope)

    def hold(self, reason: str) -> int:
        """Place a legal hold on all that is remembered here; return its number. See `Memory.hold`."""
        return self.memory.hold(self.scope, reason)
