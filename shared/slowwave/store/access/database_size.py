"""Room in the database: agents' writes are refused before the database or the disk of the embedded Postgres is full."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from slowwave.errors import Crowded
from slowwave.runtime import clock

LOOK_SECONDS = 10.0
"""Seconds between two measurements by one process. It measures again at once after a measurement without room."""
WAIT_SECONDS = 60.0
"""Seconds to wait before a retry if there is no room."""


@dataclass
class Room:
    """The limits of size: *most_bytes* of the database, and *free_bytes* of the disk with the *folder* of the data.

    Without *most_bytes* or *folder*, the limit does not apply. Times come from the monotonic clock.
    """

    most_bytes: int | None = None
    folder: Path | None = None
    free_bytes: int = 0
    _look_again: float = field(default=0.0, init=False)

    def require(self, connection: Connection, *, more: int = 0) -> None:
        """Raise `Crowded`, with the time to wait, if there is no room for more words, or for *more* bytes of them."""
        if not more and clock.monotonic() < self._look_again:
            return
        needed = f", and this needs about {more:,} more" if more else ""
        if self.most_bytes is not None:
            size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
            if size + more >= self.most_bytes:
                raise Crowded(
                    f"the database has {size:,} bytes, and SLOWWAVE_DATABASE_BYTES is {self.most_bytes:,}{needed}",
                    retry_after_seconds=WAIT_SECONDS,
                    hint="raise the limit, or erase memories (`slowwave forget`); recall and the jobs go on",
                )
        if self.folder is not None:
            free = shutil.disk_usage(self.folder).free
            if free - more < self.free_bytes:
                raise Crowded(
                    f"the disk of the database has {free:,} free bytes, and SLOWWAVE_FREE_BYTES is {self.free_bytes:,}"
                    f"{needed}",
                    retry_after_seconds=WAIT_SECONDS,
                    hint=f"free some space on the disk of {self.folder}",
                )
        self._look_again = clock.monotonic() + LOOK_SECONDS
