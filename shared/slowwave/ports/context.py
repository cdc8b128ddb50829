"""Context for extractors: the turns before a window, and windows that are read ahead."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, SlowwaveError

if TYPE_CHECKING:
    pass


REACH = 100
"""The number of positions in which turns before a window are searched. A busy scope interleaves its sessions."""
Place = tuple[uuid.UUID, str, int]
"""The place where a window begins: its scope, its pack and its first position."""


@runtime_checkable
class LooksBack(Protocol):
    """A reader or extractor that uses the turns before its window if *looks_back* is True."""

    @property
    def looks_back(self) -> bool:
        """True if the claims of a turn depend on the turns before it."""

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*, which may also cite the turns *before* it."""


class Proposes(Protocol):
    """A reader, or an extractor, of episodes."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*."""


def proposed(reader: Proposes, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
    """Return the claims of *reader* for a window of *episodes*.

    A reader that looks back also gets the turns *before*.
    """
    return reader.propose_after(before, episodes) if isinstance(reader, LooksBack) else reader.propose(episodes)


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A window that will probably be read soon, with the turns *before* it."""

    place: Place
    before: Sequence[StoredEpisode]
    episodes: Sequence[StoredEpisode]


class Ahead(Protocol):
    """Reads windows ahead, outside this process. The claims stay the same."""

    def begun(self) -> Sequence[Place]:
        """Return the places of windows that are being read ahead."""

    def begin(self, upcoming: Upcoming, reader: Proposes) -> None:
        """Begin to read a window, if reading ahead is worth the cost."""

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        """Return the claims of *reader* for a window, whether or not `begin` was called for it."""


def extracted(
    pack: Proposes,
    before: Sequence[StoredEpisode],
    episodes: Sequence[StoredEpisode],
    *,
    ahead: Ahead | None = None,
    place: Place | None = None,
) -> list[Claim]:
    """Return the claims of `proposed`, which *ahead* may have read already. Raises `Fault` if the pack's own code
    fails.
    """
    try:
        if ahead is not None and place is not None:
            return ahead.claims(Upcoming(place, before, episodes), pack)
        return proposed(pack, before, episodes)
    except (SlowwaveError, MemoryError):
        raise
    except Exception as error:  # a pack's own code may raise any exception
        raise Fault(f"the pack failed with {type(error).__name__}") from error
