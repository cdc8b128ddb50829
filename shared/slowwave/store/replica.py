"""A streaming replica of the database, which serves reads while it has the rows that a read must see."""

import asyncio
import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from slowwave.errors import Conflict, Unavailable, Unprepared
from slowwave.runtime import clock
from slowwave.store.direct import waited_for
from slowwave.threads import turns_are_taken

WAIT_SECONDS = 0.25
"""The longest time for which a read waits until the replica has the writes of this process."""
AVOIDED_SECONDS = 5.0
"""The time for which the primary serves all reads after the replica failed or was behind."""
_POLL_SECONDS = 0.005
_STATE = "SELECT pg_is_in_recovery() AS follows, %(position)s::pg_lsn - pg_last_wal_replay_lsn() AS behind"
_POSITION = "SELECT pg_current_wal_insert_lsn()::text"

_log = logging.getLogger(__name__)


class ReplicaLost(Unavailable):
    """The replica failed during a read. The primary serves the next attempt, which may follow at once."""


class Replica:
    """The position in the primary's log that a read on the replica must see, and whether reads may use the replica.

    The position is read again after each write of this process, and at least once in *stale_seconds*: the longest time
    for which a read may miss writes of other processes. With 0, each read asks the primary, and misses none.
    """

    def __init__(self, stale_seconds: float) -> None:
        self._stale_seconds = stale_seconds
        self._write = object()
        self._known: tuple[str, object, float] | None = None
        self._avoided_until = -math.inf

    @property
    def in_use(self) -> bool:
        """True if reads may use the replica now."""
        return clock.monotonic() >= self._avoided_until

    def wrote(self) -> None:
        """Require that the next read sees what this process has committed."""
        self._write = object()

    @property
    def position(self) -> str | None:
        """The position that the next read must see; None if the primary must be asked for its position first."""
        if (known := self._known) is None:
            return None
        position, write, read_at = known
        return position if write is self._write and clock.monotonic() - read_at < self._stale_seconds else None

    def read_position(self, primary: Connection) -> str:
        """Return the present position of the *primary*. It covers the writes that were committed before this call."""
        write, read_at = self._write, clock.monotonic()
        position: str = primary.exec_driver_sql(_POSITION).scalar_one()
        self._known = position, write, read_at
        return position

    def wait(self, connection: Connection, position: str) -> None:
        """Wait until the replica has replayed the log up to *position*.

        Raises `ReplicaLost` if that takes longer than `WAIT_SECONDS`, or if the server is no replica any more.
        """
        end = clock.monotonic() + WAIT_SECONDS
        while behind := bytes_behind(connection, position):
            if clock.monotonic() >= end:
                raise ReplicaLost(f"the replica is {behind} bytes behind the primary")
            _sleep(_POLL_SECONDS)

    @contextmanager
    def lost(self) -> Iterator[None]:
        """Raise `ReplicaLost` if the block fails because of the replica; the primary then serves all reads for
        `AVOIDED_SECONDS`. Other errors of the block, such as those of an embedder, stay as they are.
        """
        try:
            yield
        except (Unavailable, Conflict, Unprepared) as error:  # the replay cancels a statement that it conflicts with
            if not isinstance(error, ReplicaLost) and not isinstance(error.__cause__, SQLAlchemyError | psycopg.Error):
                raise
            self._avoided_until = clock.monotonic() + AVOIDED_SECONDS
            _log.warning("The primary serves reads for %g s: %s", AVOIDED_SECONDS, str(error))
            raise ReplicaLost(str(error), retry_after_seconds=0) from error


def bytes_behind(connection: Connection, position: str) -> int:
    """Return how many bytes the replica of *connection* has to replay up to *position*.

    Raises `ReplicaLost` if the server is no replica.
    """
    state = connection.exec_driver_sql(_STATE, {"position": position}).one()
    if not state.follows:
        raise ReplicaLost("the server of SLOWWAVE_READ_URL is no replica")
    return max(0, int(state.behind))


def _sleep(seconds: float) -> None:
    if turns_are_taken():
        waited_for(asyncio.sleep(seconds))
    else:
        time.sleep(seconds)
