"""Filters of a query: the memories that may answer it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.episode import Role
from slowwave.domain.recollection import Remembered
from slowwave.errors import Incorrect


@dataclass(frozen=True, slots=True)
class Filters:
    """The memories that may answer a question; a field that is None excludes nothing.

    *roles* are speakers' roles: for a fact, of any episode behind it. *sessions* and *exclude_sessions* are where an
    episode was said or a fact was learned. From *since* (inclusive) to *until* (exclusive) is when an event happened or
    a fact began to be true. *tiers* are memory tiers. Archived conversations answer only with *archived*.
    """

    kinds: Collection[Remembered] | None = None
    roles: Collection[Role] | None = None
    sessions: Collection[str] | None = None
    exclude_sessions: Collection[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    tiers: Collection[str] | None = None
    archived: bool = False

    def __post_init__(self) -> None:
        in_order(self.since, self.until)


def in_order(since: datetime | None, until: datetime | None) -> None:
    """Return if *since* lies before *until*, or one of them is None. Raises `Incorrect` otherwise."""
    if since is not None and until is not None and since >= until:
        raise Incorrect.listing("filters", ["until: lies not after since"], hint="the earlier time is since")


EVERYTHING = Filters()
"""No filter; archived conversations are still left out."""
