"""Context: the turns before a window, for extractors that use them."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, SlowwaveError

REACH = 100
"""The number of positions searched for turns before a window: a busy scope interleaves its sessions."""


@runtime_checkable
class LooksBack(Protocol):
    """A reader or extractor that uses the turns before its window, if *looks_back* is True."""

    @property
    def looks_back(self) -> bool:
        """True if the earlier turns make a difference."""

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which may also cite the turns *before* it."""


class Proposes(Protocol):
    """A reader, or an extractor, of episodes."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*."""


def proposed(reader: Proposes, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
    """Return the claims of *reader* for a window of *episodes*; one that looks back also gets the turns *before*."""
    return reader.propose_after(before, episodes) if isinstance(reader, LooksBack) else reader.propose(episodes)


def extracted(pack: Proposes, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
    """Return the same claims of a *pack*; raise `Fault` for whatever error its own code raises."""
    try:
        return proposed(pack, before, episodes)
    except (SlowwaveError, MemoryError):
        raise
    except Exception as error:  # the edge to a pack's own code, which may raise anything
        raise Fault(f"the pack failed with {type(error).__name__}") from error
