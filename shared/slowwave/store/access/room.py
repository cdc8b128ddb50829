"""Room in the database: pushes are refused before the database or the disk of the embedded Postgres is full."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from sqlalchemy import Connection

from slowwave.errors import Crowded
from slowwave.runtime import clock

LOOK_SECONDS = 10.0
"""Seconds between two measurements by one process. It measures again at once after a measurement without room."""
WAIT_SECONDS = 60.0
"""Seconds to wait before a retry if there is no room."""


class Limits(Protocol):
    """The settings that limit sizes."""

    @property
    def database_bytes(self) -> int | None:
        """The size of the database from which on pushes are refused."""

    @property
    def free_bytes(self) -> int:
        """The free bytes of the disk below which pushes are refused."""

    @property
    def home(self) -> Path:
        """The folder with the data of the embedded Postgres."""


@dataclass
class Room:
    """The limits of size: *most_bytes* of the database, and *free_bytes* of the disk with the *folder* of the data.

    Without *most_bytes* or *folder*, the limit does not apply. Times come from the monotonic clock.
    """

    most_bytes: int | None = None
    folder: Path | None = None
    free_bytes: int = 0
    _look_again: float = field(default=0.0, init=False)

    @classmethod
    def of(cls, limits: Limits, *, embedded: bool) -> Self:
        """Return the limits that settings set. Only the disk of an *embedded* Postgres is known, below their home."""
        return cls(limits.database_bytes, limits.home if embedded else None, limits.free_bytes)

    def require(self, connection: Connection) -> None:
        """Raise `Crowded`, with the time to wait, if there is no room for more episodes."""
        if clock.monotonic() < self._look_again:
            return
        if self.most_bytes is not None:
            size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()
            if size >= self.most_bytes:
                raise Crowded(
                    f"the database has {size:,} bytes, and SLOWWAVE_DATABASE_BYTES is {self.most_bytes:,}",
                    retry_after_seconds=WAIT_SECONDS,
                    hint="raise the limit, or erase memories (`slowwave forget`); recall and the jobs go on",
                )
        if self.folder is not None:
            free = shutil.disk_usage(self.folder).free
            if free < self.free_bytes:
                raise Crowded(
                    f"the disk of the database has {free:,} free bytes, and SLOWWAVE_FREE_BYTES is {self.free_bytes:,}",
                    retry_after_seconds=WAIT_SECONDS,
                    hint=f"free some space on the disk of {self.folder}",
                )
        self._look_again = clock.monotonic() + LOOK_SECONDS
