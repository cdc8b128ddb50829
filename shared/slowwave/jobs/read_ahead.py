"""Windows that are read ahead of a run in a backlog, by other processes."""

from collections.abc import Iterable, Mapping, Sequence

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.run import Run
from slowwave.ports.context import Ahead, Proposes, Upcoming
from slowwave.store.runs.runs import PostgresRuns

BACKLOG = 32
"""The fewest episodes of a window that show a backlog; only then are the next windows looked up."""

MOST_AHEAD = 10
"""The most windows that are looked up at once."""

FEW_AHEAD = 3
"""While this many windows are being read ahead, no more are looked up."""


def begin_next(
    ahead: Ahead | None, readers: Mapping[str, Proposes], run: Run, store: PostgresRuns, own: Upcoming | None = None
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
    ahead: Ahead | None, readers: Mapping[str, Proposes], run: Run, store: PostgresRuns
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
