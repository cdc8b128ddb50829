"""Port of late episodes, which are read after episodes that occurred later; and of the claims of the later episodes."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.run import Run

if TYPE_CHECKING:  # see slowwave.ports
    from slowwave.core.late_arrivals import Past, Since


class LateStore(Protocol):
    """The part of the run protocol that late episodes need. Every method is one transaction."""

    def newest(self, run: Run) -> datetime | None:
        """Return when the latest of the episodes before the run's window occurred."""

    def told_since(self, run: Run, occurred: datetime) -> "list[Since]":
        """Return the claims before the window that ended or corrected a belief, in episodes that occurred later than
        *occurred*, and the claims of this kind that wait for review.
        """

    def behind(self, run: Run, facts: Collection[UUID]) -> "list[Since]":
        """Return the claims that made or confirmed *facts*, if they are claims of packs."""

    def turns_since(
        self, run: Run, occurred: datetime, words: Sequence[str]
    ) -> tuple[list[StoredEpisode], list[StoredEpisode]]:
        """Return the turns before the window with one of these *words* that occurred later than *occurred*, and the
        turns before each of them.
        """

    def past(self, run: Run, claims: Sequence[Claim]) -> "Past | None":
        """Return the history into which *claims* of a retried run belong, or None if nothing came after them."""

    def past_since(self, run: Run, claims: Sequence[Claim], since: "Sequence[Since]") -> "Past":
        """Return the history into which late *claims* belong: just before all of *since*."""
