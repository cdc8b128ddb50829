"""A month of episodes or a day of the audit log, kept apart from the others; and rows that lie in none."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of a table (*parent*) from *lo* up to, not including, *hi*."""

    parent: str
    name: str
    lo: datetime
    hi: datetime


@dataclass(frozen=True, slots=True)
class Astray:
    """Rows of a table (*parent*) for whose time no partition was there, and the time of the first and the last."""

    parent: str
    rows: int
    first: datetime
    last: datetime
