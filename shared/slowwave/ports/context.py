"""Context for extractors: the turns before a window, and episodes that are read late."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from uuid import UUID

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.run import Run
from slowwave.errors import Fault, SlowwaveError

if TYPE_CHECKING:
    from slowwave.core.late_arrivals import Past, Since


REACH = 100
"""The number of positions searched for turns before a window: a busy scope interleaves its sessions."""


@runtime_checkable
class LooksBack(Protocol):
    """A reader or extractor that uses the turns before its window, if *looks_back* is True."""

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
    """Return the claims of *reader* for a window of *episodes*; one that looks back also gets the turns *before*."""
    return reader.propose_after(before, episodes) if isinstance(reader, LooksBack) else reader.propose(episodes)


BACKLOG = 32
"""The fewest episodes of a window that show a backlog; only then are the next windows looked up."""
MOST_AHEAD = 10
"""The most windows that are looked up at once."""
FEW_AHEAD = 3
"""While this many windows are being read ahead, no more are looked up."""
Place = tuple[uuid.UUID, str, int]
"""The place where a window begins: its scope, its pack and its first position."""


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A window that will probably be read soon, with the turns *before* it."""

    place: Place
    before: Sequence[StoredEpisode]
    episodes: Sequence[StoredEpisode]


class FindsUpcoming(Protocol):
    """Finds the windows to read ahead."""

    def upcoming(self, run: Run, *, begun: Collection[Place], most: int) -> Iterable[Upcoming]:
        """Give the *most* windows that this process will probably read next after *run*, without those *begun*.

        Gives none while other workers are running, because they will take these windows.
        """

    def episodes_and_upcoming(
        self, run: Run, *, begun: Collection[Place]
    ) -> tuple[Sequence[StoredEpisode], Sequence[Upcoming]]:
        """Return the episodes of *run*, in order, and the windows within them that are due to be consolidated.

        Windows are left out as in `upcoming`.
        """


class ReadsRuns(FindsUpcoming, Protocol):
    """Reads the episodes of a run, and finds the windows to read ahead."""

    def episodes(self, run: Run) -> Sequence[StoredEpisode]:
        """Return the episodes of *run*, in order."""


class Ahead(Protocol):
    """Reads windows ahead, outside this process, which changes only the time of reading."""

    def begun(self) -> Sequence[Place]:
        """Return the places of windows that are being read ahead."""

    def begin(self, upcoming: Upcoming, reader: Proposes) -> None:
        """Begin to read a window, if that is worth it."""

    def claims(self, window: Upcoming, reader: Proposes) -> list[Claim]:
        """Return the claims of *reader* for a window, whether or not `begin` was called for it."""


def begin_next(
    ahead: Ahead | None,
    readers: Mapping[str, Proposes],
    run: Run,
    store: FindsUpcoming,
    own: Upcoming | None = None,
) -> None:
    """Begin to read the windows that follow *run*, if there is a backlog; *readers* has the reader of each pack.

    The *own* window of the run, if given, is begun first: two processes read it in half the time.
    """
    if ahead is None or run.only or len(run.positions) < BACKLOG or len(begun := ahead.begun()) >= FEW_AHEAD:
        return
    if own is not None and own.place not in begun:
        ahead.begin(own, readers[own.place[1]])
    _begin(ahead, readers, store.upcoming(run, begun=begun, most=MOST_AHEAD))


def episodes_to_prepare(
    ahead: Ahead | None, readers: Mapping[str, Proposes], run: Run, store: ReadsRuns
) -> Sequence[StoredEpisode]:
    """Return the episodes of a *run* that prepares them; in a backlog, begin to read the windows within them."""
    if ahead is None or run.only or len(run.positions) < BACKLOG or len(begun := ahead.begun()) >= MOST_AHEAD:
        return store.episodes(run)
    episodes, windows = store.episodes_and_upcoming(run, begun=begun)
    _begin(ahead, readers, windows)
    return episodes


def _begin(ahead: Ahead, readers: Mapping[str, Proposes], windows: Iterable[Upcoming]) -> None:
    for window in windows:
        if reader := readers.get(window.place[1]):
            ahead.begin(window, reader)


def extracted(
    pack: Proposes,
    before: Sequence[StoredEpisode],
    episodes: Sequence[StoredEpisode],
    *,
    ahead: Ahead | None = None,
    place: Place | None = None,
) -> list[Claim]:
    """Return what `proposed` returns, perhaps read *ahead*. Raises `Fault` for any error of the pack's own code."""
    try:
        if ahead is not None and place is not None:
            return ahead.claims(Upcoming(place, before, episodes), pack)
        return proposed(pack, before, episodes)
    except (SlowwaveError, MemoryError):
        raise
    except Exception as error:  # the edge to a pack's own code, which may raise anything
        raise Fault(f"the pack failed with {type(error).__name__}") from error


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
