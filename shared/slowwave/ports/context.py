"""Context: what came before a window, for those who understand what is said by it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode


@runtime_checkable
class LooksBack(Protocol):
    """A reader, or an extractor, that understands what is said by the turns before it, where it *looks back* at all."""

    @property
    def looks_back(self) -> bool:
        """True where it makes a difference."""

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which may cite the turns *before* besides."""
