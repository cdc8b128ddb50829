"""What is said of what was recalled: whether it helped, and that it must stay."""

import uuid
from typing import TYPE_CHECKING

from slowwave import wiring
from slowwave.core.feedback import UNKNOWN
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.errors import Incorrect
from slowwave.store.standing import accesses

if TYPE_CHECKING:
    from slowwave.memory.installation import Memory


class Use:
    """What a `Memory` can be told about what it returned."""

    _parts: wiring.Parts

    def feedback(
        self, recollection: Recollection, useful: float | bool = UNKNOWN, *, tenant: str | None = None
    ) -> Standing:
        """Say how useful a recollection was, from 0 to 1, or whether it was; return where the memory stands then.

        More useful than its score had promised is a surprise, and useful at all a success: both may lift it. Raises
        `Incorrect` for another number.
        """
        if not 0 <= useful <= 1:
            raise Incorrect(f"useful: expected 0 to 1, or whether it was, got {useful}")
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            one = self._returned(recollection, tenant)
            return accesses.feedback(connection, one, useful=float(useful), predicted=recollection.score)

    def pin(self, recollection: Recollection, *, tenant: str | None = None) -> None:
        """Keep a memory from fading, from moving down and from making room for others, until it is unpinned."""
        self._pin(recollection, tenant, pinned=True)

    def unpin(self, recollection: Recollection, *, tenant: str | None = None) -> None:
        """Let a pinned memory fade and move again."""
        self._pin(recollection, tenant, pinned=False)

    def standing(self, recollection: Recollection, *, tenant: str | None = None) -> Standing:
        """Return where a memory stands: its tier, its accesses, its surprise. Raises `NotFound` if that is not known.

        What was just recalled is counted first.
        """
        one = self._returned(recollection, tenant)
        self._count()
        with self._parts.database.tenant(one.tenant) as connection:
            return accesses.of(connection, one.scope, one.memory)

    def _pin(self, recollection: Recollection, tenant: str | None, *, pinned: bool) -> None:
        with self._parts.database.tenant(self._tenant(tenant)) as connection:
            accesses.pin(connection, self._returned(recollection, tenant), pinned=pinned)

    def _count(self) -> None:
        """Write down what this process has returned so far."""
        if "accesses" in vars(self._parts):
            self._parts.accesses.flush()

    def _returned(self, recollection: Recollection, tenant: str | None) -> accesses.Returned:
        found = accesses.returned(self._tenant(tenant), [recollection])
        if not found:
            raise Incorrect("this recollection names no scope", hint="hand back what recall returned, as it is")
        return found[0]

    def _tenant(self, tenant: str | None) -> str:
        return tenant or self._parts.settings.tenant


class ScopeUse:
    """What a `MemoryScope` can be told about what it returned."""

    __slots__ = ()
    memory: "Memory"
    scope: Scope

    def feedback(self, recollection: Recollection, useful: float | bool = UNKNOWN) -> Standing:
        """Say how useful a recollection was, from 0 to 1, or whether it was; see `Memory.feedback`."""
        return self.memory.feedback(recollection, useful, tenant=self.scope.tenant)

    def pin(self, recollection: Recollection) -> None:
        """Keep a memory as it is until it is unpinned; see `Memory.pin`."""
        self.memory.pin(recollection, tenant=self.scope.tenant)

    def unpin(self, recollection: Recollection) -> None:
        """Let a pinned memory fade and move again."""
        self.memory.unpin(recollection, tenant=self.scope.tenant)

    def standing(self, memory: Recollection | uuid.UUID) -> Standing:
        """Return where a memory of this scope stands; see `Memory.standing`. Raises `NotFound`."""
        if isinstance(memory, Recollection):
            return self.memory.standing(memory, tenant=self.scope.tenant)
        self.memory._count()
        with self.memory._parts.database.tenant(self.scope.tenant) as connection:
            return accesses.of(connection, self.scope.id, memory)
