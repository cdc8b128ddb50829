"""Deltas read from Postgres as runs apply them, also after outages."""

import logging
import uuid
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.delta import Kind
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.formatting.summary_lines import brief
from slowwave.memory import beliefs
from slowwave.subscriptions import PAGE, Deltas, deltas
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DeltaFilter:
    """The deltas to follow: of a *tenant* or one *scope* of it, of one *kind*, and the starting point."""

    tenant: str
    scope: Scope | None
    after: uuid.UUID | str | None
    since: datetime | None
    kind: Kind | None


class PostgresDeltas(Deltas):
    """The deltas of a tenant or a scope, each once, in final order, as runs apply them: iterate, or `read`.

    *after* is the id of the last delta returned: pass it to another follower to continue there. While Postgres is down,
    the iteration waits, and *trouble* is the error. One thread reads; any thread may `close`.
    """

    def __init__(self, parts: Parts, wanted: DeltaFilter) -> None:
        """Raise `Unavailable` when Postgres is down, and `NotFound` for an *after* that is not a delta."""
        super().__init__(None if wanted.after is None else beliefs.delta_id(wanted.after))
        self._parts, self._wanted = parts, wanted
        self._fetched = self.after
        self._pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
        self.since = wanted.since
        if self.after is None and self.since is None:
            self.since = beliefs.settled_until(parts, wanted.tenant)
        else:
            self._fetch()

    def look(self) -> None:
        """Fetch new deltas; `read` calls this when none is buffered. Raises `Unavailable`."""
        if not self.closed:
            self._fetch()

    def pause_before_next(self) -> float:
        """Return the seconds to wait before the next `read`, if the last one was empty or failed."""
        return self._pause.seconds if self.trouble else deltas.POLL_SECONDS

    def __repr__(self) -> str:
        scope = self._wanted.scope
        return brief(self, scope.user if scope else f"tenant {self._wanted.tenant}", f"after {self.after}")

    def _fetch(self) -> None:
        wanted = self._wanted
        try:
            found = beliefs.settled(
                self._parts, wanted.tenant, None if wanted.scope is None else wanted.scope.id, since=self.since,
                kind=wanted.kind, after=self._fetched, limit=PAGE,
            )  # fmt: skip
        except Unavailable as error:
            if self.trouble is None:
                _LOG.warning("no deltas can be read: %s", error.message)
            else:
                self._pause.double()
            self.trouble = error
            raise
        if self.trouble is not None:
            _LOG.info("deltas can be read again")
            self.trouble = None
            self._pause.reset()
        if found:
            self._fetched = found[-1].id
            self._ready.extend(found)
