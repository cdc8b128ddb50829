"""Reading ahead: while a run works on a backlog, other processes read the next windows."""

from collections.abc import Iterable, Mapping, Sequence

from slowwave.domain.episode import StoredEpisode
from slowwave.domain.run import Run
from slowwave.ports.context import Ahead, Proposes, Upcoming
from slowwave.store.runs.runs import PostgresRuns

BACKLOG = 32
"""The minimum number of episodes in a window that counts as a backlog.

The next windows are looked up only in a backlog.
"""

MOST_AHEAD = 10
"""The maximum number of windows that are looked up at once."""

FEW_AHEAD = 3
"""While this many windows are being read ahead, no more are looked up."""


def begin_next(
    ahead: Ahead | None, readers: Mapping[str, Proposes], run: Run, store: PostgresRuns, own: Upcoming | None = None
) -> None:
    """If there is a backlog, begin to read the windows that follow *run*. *readers* maps each pack to its reader.

    If *own* (the run's own window) is given, other processes begin to read this window first.
    """
    if ahead is None or run.only or len(run.positions) < BACKLOG or len(begun := ahead.begun()) >= FEW_AHEAD:
        return
    if own is not None and own.place not in begun:
        ahead.begin(own, readers[own.place[1]])
    _begin(ahead, readers, store.upcoming(run, begun=begun, most=MOST_AHEAD))


def episodes_to_prepare(
    ahead: Ahead | None, readers: Mapping[str, Proposes], run: Run, store: PostgresRuns
) -> Sequence[StoredEpisode]:
    """Return the episodes of a preparing *run*. In a backlog, also begin to read the windows of these episodes."""
    if ahead is None or run.only or len(run.positions) < BACKLOG or len(begun := ahead.begun()) >= MOST_AHEAD:
        return store.episodes(run)
    episodes, windows = store.episodes_and_upcoming(run, begun=begun)
    _begin(ahead, readers, windows)
    return episodes


def _begin(ahead: Ahead, readers: Mapping[str, Proposes], windows: Iterable[Upcoming]) -> None:
    for window in windows:
        if reader := readers.get(window.place[1]):
            ahead.begin(window, reader)
