"""Filters of a query, which select the memories that may answer the query."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.episode import Role
from slowwave.domain.recollection import Remembered
from slowwave.errors import Incorrect


@dataclass(frozen=True, slots=True)
class Filters:
    """A filter of the memories that may answer a question. A field that is None excludes nothing.

    *roles* selects episodes by the role of the speaker, and facts by the roles of the speakers of their source
    episodes. *sessions* and *exclude_sessions* apply to the session of an episode, and to the sessions in which a fact
    was learned. An episode occurred, or a fact became true, from *since* (inclusive) to *until* (exclusive). *tiers*
    are memory tiers. Archived conversations match only with *archived*.
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
    """Raise `Incorrect` if both *since* and *until* are given and *since* is not before *until*."""
    if since is not None and until is not None and since >= until:
        raise Incorrect.listing("filters", ["until: is not after since"], hint="give the earlier time as since")


EVERYTHING = Filters()
"""A filter that leaves out only archived conversations."""
