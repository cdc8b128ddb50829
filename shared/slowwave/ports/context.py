"""Context: what came before a window, for those who understand what is said by it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode

REACH = 100
"""Positions over which turns before a window are looked for: a crowded scope interleaves its sessions."""


@runtime_checkable
class LooksBack(Protocol):
    """A reader, or an extractor, that understands what is said by the turns before it, where it *looks back* at all."""

    @property
    def looks_back(self) -> bool:
        """True where it makes a difference."""

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which may cite the turns *before* besides."""


class Proposes(Protocol):
    """A reader, or an extractor, of episodes."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*."""


def proposed(reader: Proposes, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
    """Return what *reader* claims of a window of *episodes*; the turns *before* are told to one who looks back."""
    return reader.propose_after(before, episodes) if isinstance(reader, LooksBack) else reader.propose(episodes)
