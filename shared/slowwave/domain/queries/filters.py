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

    *roles* are the roles of an episode's speaker, or of the speaker of any of a fact's source episodes. *sessions* and
    *exclude_sessions* are the sessions of an episode, or those in which a fact was learned. An episode occurred, or a
    fact became true, from *since* (inclusive) to *until* (exclusive). *tiers* are memory tiers. Archived conversations
    answer only with *archived*.
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
    """Raise `Incorrect` unless *since* is before *until*, or one of them is None."""
    if since is not None and until is not None and since >= until:
        raise Incorrect.listing("filters", ["until: is not after since"], hint="give the earlier time as since")


EVERYTHING = Filters()
"""A filter that leaves out only archived conversations."""
