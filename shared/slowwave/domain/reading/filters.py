"""Filters of a question: which memories may answer it, however well others would."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.episode import Role
from slowwave.domain.recollection import Remembered
from slowwave.errors import Incorrect


@dataclass(frozen=True, slots=True)
class Filters:
    """The memories that may answer a question; a filter that is None leaves nothing out.

    *roles* are those of who spoke: of a fact, whoever spoke in an episode behind it. *sessions* and *exclude_sessions*
    are where an episode stands or a fact was learned. From *since* up to *until*, itself left out, something happened,
    or began to be so. *tiers* are rungs of the ladder. Conversations that are put away answer only if *archived*.
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
    """Return where *since* lies before *until*, as far as both are given. Raises `Incorrect`."""
    if since is not None and until is not None and since >= until:
        raise Incorrect.listing("filters", ["until: lies not after since"], hint="the earlier time is since")


EVERYTHING = Filters()
"""No filter at all; conversations that are put away are left out all the same."""
