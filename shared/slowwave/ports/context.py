"""Ports for reading windows of episodes: with the turns before a window, or ahead of the run that needs the claims."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault, SlowwaveError

REACH = 100
"""The number of positions in which turns before a window are searched. A busy scope interleaves its sessions."""
Place = tuple[uuid.UUID, str, int]
"""The place where a window begins: its scope, its pack and its first position."""


@runtime_checkable
class LooksBack(Protocol):
    """A reader or extractor that uses the turns before its window if *looks_back* is True."""

    @property
    def looks_back(self) -> bool:
        """True if the claims of a turn depend on the earlier turns."""

    def propose_after(self, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*.

        The claims may also cite the turns in *before*, which precede the window.
        """


class Proposes(Protocol):
    """A reader or extractor, which extracts claims from episodes."""

    def propose(self, episodes: Sequence[StoredEpisode]) -> list[Claim]:
        """Return the claims of a window of *episodes*."""


def proposed(reader: Proposes, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]) -> list[Claim]:
    """Return the claims of *reader* for a window of *episodes*.

    A reader that looks back also gets the turns in *before*.
    """
    return reader.propose_after(before, episodes) if isinstance(reader, LooksBack) else reader.propose(episodes)


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A window that will probably be read soon. *before* has the preceding turns."""

    place: Place
    before: Sequence[StoredEpisode]
    episodes: Sequence[StoredEpisode]


class Ahead(Protocol):
    """Reads windows in other processes, before a run needs the claims. Reading ahead does not change the claims."""

    def begun(self) -> Sequence[Place]:
        """Return the windows that are being read ahead, as places: scope, pack and first position."""

    def begin(self, upcoming: Upcoming, reader: Proposes) -> None:
        """Begin to read a window, if reading ahead is worth the cost."""

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        """Return the claims of *reader* for a window. If `begin` was not called for the window, it is read now."""


def extracted(
    pack: Proposes,
    before: Sequence[StoredEpisode],
    episodes: Sequence[StoredEpisode],
    *,
    ahead: Ahead | None = None,
    place: Place | None = None,
) -> list[Claim]:
    """Return the claims of `proposed`. If *ahead* has read the window *place*, its claims are used.

    Raises `Fault` if the pack's own code fails.
    """
    try:
        if ahead is not None and place is not None:
            return ahead.claims(Upcoming(place, before, episodes), pack)
        return proposed(pack, before, episodes)
    except (SlowwaveError, MemoryError):
        raise
    except Exception as error:  # a pack's own code may raise any exception
        raise Fault(f"the pack failed with {type(error).__name__}") from error
