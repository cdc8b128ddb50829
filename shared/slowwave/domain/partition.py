"""A partition (a month of episodes or a day of the audit log), and rows that belong to no such partition."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of a table (*parent*) from *lo* (inclusive) to *hi* (exclusive)."""

    parent: str
    name: str
    lo: datetime
    hi: datetime


@dataclass(frozen=True, slots=True)
class DefaultRows:
    """Rows in the default partition of a table (*parent*).

    Their times, from *first* to *last*, belong to no other partition.
    """

    parent: str
    rows: int
    first: datetime
    last: datetime
