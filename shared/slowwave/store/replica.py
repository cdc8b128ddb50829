"""A streaming replica of the database, which serves reads while it has the rows that a read must see."""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from slowwave.errors import Conflict, Unavailable
from slowwave.runtime import clock
from slowwave.store.direct import BRIDGED, PLAIN, waited_for
from slowwave.threads import turns_are_taken

STALE_SECONDS = 1.0
"""The longest time for which a read on the replica may miss writes of other processes."""
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
    """The connections to a replica, and the position in the primary's log that a read must see.

    *connect* returns the engine for a driver. The position is read again after each write of this process, and at least
    once in `STALE_SECONDS`.
    """

    def __init__(self, connect: Callable[[str], Engine]) -> None:
        self._connect = connect
        self._pools: dict[str, Engine] = {}
        self._position, self._read_at = "0/0", -math.inf
        self._wrote = True
        self._avoided_until = -math.inf

    @property
    def pool(self) -> Engine:
        """The pool with the driver that fits the thread."""
        driver = BRIDGED if turns_are_taken() else PLAIN
        if driver not in self._pools:
            self._pools[driver] = self._connect(driver)
        return self._pools[driver]

    @property
    def in_use(self) -> bool:
        """True if reads may use the replica now."""
        return clock.monotonic() >= self._avoided_until

    def wrote(self) -> None:
        """Require that the next read sees what this process has committed."""
        self._wrote = True

    def needs_position(self) -> bool:
        """Return whether the primary must be asked for its position before the next read."""
        return self._wrote or clock.monotonic() - self._read_at >= STALE_SECONDS

    def read_position(self, primary: Connection) -> None:
        """Read the present position from the *primary*."""
        self._wrote, self._read_at = False, clock.monotonic()
        try:
            self._position = primary.exec_driver_sql(_POSITION).scalar_one()
        except BaseException:
            self._wrote = True
            raise

    def wait(self, connection: Connection) -> None:
        """Wait until the replica has the required position.

        Raises `Unavailable` if that takes longer than `WAIT_SECONDS`, or if the server is no replica any more.
        """
        end = clock.monotonic() + WAIT_SECONDS
        while behind := self.bytes_behind(connection):
            if clock.monotonic() >= end:
                raise Unavailable(f"the replica is {behind} bytes behind the primary")
            _sleep(_POLL_SECONDS)

    def bytes_behind(self, connection: Connection) -> int:
        """Return how many bytes the replica has to replay up to the required position.

        Raises `Unavailable` if the server is no replica.
        """
        state = connection.exec_driver_sql(_STATE, {"position": self._position}).one()
        if not state.follows:
            raise Unavailable("the server of SLOWWAVE_READ_URL is no replica")
        return max(0, int(state.behind))

    @contextmanager
    def lost(self) -> Iterator[None]:
        """Raise `ReplicaLost` if the block fails because of the replica; the primary then serves all reads for
        `AVOIDED_SECONDS`.
        """
        try:
            yield
        except (Unavailable, Conflict) as error:  # the replay cancels a statement that it conflicts with
            self._avoided_until = clock.monotonic() + AVOIDED_SECONDS
            _log.warning("The primary serves reads for %g s: %s", AVOIDED_SECONDS, str(error))
            raise ReplicaLost(str(error), retry_after_seconds=0) from error

    def dispose(self) -> None:
        """Close the idle connections; on an event loop, those of the async driver."""
        if (pool := self._pools.get(BRIDGED if turns_are_taken() else PLAIN)) is not None:
            pool.dispose()


def _sleep(seconds: float) -> None:
    if turns_are_taken():
        waited_for(asyncio.sleep(seconds))
    else:
        time.sleep(seconds)
