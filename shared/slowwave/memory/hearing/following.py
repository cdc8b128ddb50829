"""Deltas as they come: read one after another, or handed to who listens, also when Postgres was away meanwhile."""

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from slowwave.brief import brief
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.memory import beliefs
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)
POLL_SECONDS = 0.5
"""How often it is looked for what came: who listens hears of it about so soon."""
PAGE = 100
JOIN_SECONDS = 5.0
Hear = Callable[[AppliedDelta], object]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The deltas that somebody follows: of a *tenant* or one *scope* of it, of one *kind*, and from where on."""

    tenant: str
    scope: Scope | None
    after: uuid.UUID | str | None
    since: datetime | None
    kind: Kind | None


class Following:
    """The deltas of a tenant or a scope as they come, each once, in an order that none overtakes: iterate, or `read`.

    *after* is the id of the last one that was handed over, behind which another goes on. While Postgres is away the
    iteration waits, and *trouble* is the error that says so. One thread reads; any may `close`, which ends it.
    """

    def __init__(self, parts: Parts, wanted: Wanted) -> None:
        """Raise `Unavailable` when Postgres is away, and `NotFound` for an *after* that is no delta."""
        self._parts, self._wanted = parts, wanted
        self._since = wanted.since
        self._fetched = self.after = None if wanted.after is None else beliefs.delta_id(wanted.after)
        self._ready: deque[AppliedDelta] = deque()
        self._closed = threading.Event()
        self._pause = Pause(POLL_SECONDS, LONGEST_PAUSE_SECONDS)
        self.trouble: Unavailable | None = None
        if self.after is None and self._since is None:
            self._since = beliefs.settled_until(parts, wanted.tenant)
        else:
            self._fetch()

    @property
    def closed(self) -> bool:
        """True once nothing more is handed over."""
        return self._closed.is_set()

    def read(self, limit: int = PAGE) -> list[AppliedDelta]:
        """Return at most *limit* deltas that have come since the last one; none where none has, without waiting.

        Raises `Unavailable` while Postgres is away: ask again, nothing is lost.
        """
        if not self._ready:
            self.look()
        found = [self._ready.popleft() for _ in range(min(limit, len(self._ready)))]
        if found:
            self.after = found[-1].id
        return found

    @property
    def ready(self) -> int:
        """The number of deltas at hand, for which `read` asks nobody."""
        return len(self._ready)

    def look(self) -> None:
        """Look for what has come behind what is at hand; `read` does so where nothing is. Raises `Unavailable`."""
        if not self.closed:
            self._fetch()

    def pause_before_next(self) -> float:
        """Return how many seconds to wait before the next `read`, where the last one gave nothing or failed."""
        return self._pause.seconds if self.trouble else POLL_SECONDS

    def close(self) -> None:
        """End the iteration; *after* says where to go on."""
        self._closed.set()
        self._ready.clear()

    def __iter__(self) -> Iterator[AppliedDelta]:
        return self

    def __next__(self) -> AppliedDelta:
        while not self.closed:
            try:
                found = self.read(1)
            except Unavailable:  # it is in *trouble*, and was said
                found = []
            if found:
                return found[0]
            self._closed.wait(self.pause_before_next())
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        scope = self._wanted.scope
        return brief(self, scope.user if scope else f"tenant {self._wanted.tenant}", f"after {self.after}")

    def _fetch(self) -> None:
        wanted = self._wanted
        try:
            found = beliefs.settled(
                self._parts, wanted.tenant, None if wanted.scope is None else wanted.scope.id, since=self._since,
                kind=wanted.kind, after=self._fetched, limit=PAGE,
            )  # fmt: skip
        except Unavailable as error:
            if self.trouble is None:
                _LOG.warning("nothing is heard of what is learned: %s", error.message)
            else:
                self._pause.double()
            self.trouble = error
            raise
        if self.trouble is not None:
            _LOG.info("what is learned is heard of again")
            self.trouble = None
            self._pause.reset()
        if found:
            self._fetched = found[-1].id
            self._ready.extend(found)


class Listening:
    """A callback that hears every delta, on a thread of its own, until it is closed.

    One that raises is logged, and hears the same delta again after a pause that doubles up to 30 s: none is passed
    over. *after* is the id of the last delta it has taken, from which to go on listening.
    """

    def __init__(self, following: Following, hear: Hear) -> None:
        self._following, self._hear = following, hear
        self._closed = threading.Event()
        self.after = following.after
        self._thread = threading.Thread(target=self._run, name="slowwave-listening", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> Unavailable | None:
        """The error that says why nothing is heard now; None where all is well."""
        return self._following.trouble

    def close(self) -> None:
        """Stop; a delta that the callback has in hand is finished first, for up to 5 s."""
        self._closed.set()
        self._following.close()
        if self._thread is not threading.current_thread():
            self._thread.join(JOIN_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return brief(self, f"after {self.after}", "closed" if self._closed.is_set() else "")

    def _run(self) -> None:
        for delta in self._following:
            pause = Pause(POLL_SECONDS, LONGEST_PAUSE_SECONDS)
            while not self._closed.is_set() and not self._taken(delta):
                self._closed.wait(pause.seconds)
                pause.double()

    def _taken(self, delta: AppliedDelta) -> bool:
        try:
            self._hear(delta)
        except Exception as error:  # noqa: BLE001  # the edge to a callback that somebody else wrote
            _LOG.error("who listens failed with %s at the delta %s: it is told again", type(error).__name__, delta.id)
            return False
        self.after = delta.id
        return True
