"""Retention values: archived conversations, previews of retention, and legal holds."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, since


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session of a scope, with the times of its first and last episode, and the number of its episodes.

    *archived* is the time when the session was archived, or None if it is not archived. If *tombstoned* is set, the
    episodes up to this time have expired.
    """

    scope: Scope
    session: str
    first_at: datetime
    last_at: datetime
    episodes: int
    archived: datetime | None = None
    tombstoned: datetime | None = None

    def __repr__(self) -> str:
        return brief(
            self, self.session, self.scope.user, many(self.episodes, "episode"), since(self.archived, "archived")
        )


@dataclass(frozen=True, slots=True, order=True)
class Leaving:
    """A conversation, fact or entity that retention would remove, with its name. *id* is the name of the session, or
    the id of the fact or entity.
    """

    scope: uuid.UUID
    id: str
    name: str

    def __repr__(self) -> str:
        return brief(self, self.name, id=self.id)


@dataclass(frozen=True, slots=True)
class Preview:
    """The conversations, facts and entities that retention would remove by *until* without new uses and legal holds.

    Jobs would mark conversations as *archived*, facts as *faded*, and entities as *tombstoned*. After the retention
    period, jobs would mark conversations as *expired* and facts as *dropped*.
    """

    until: datetime
    archived: Sequence[Leaving]
    expired: Sequence[Leaving]
    faded: Sequence[Leaving]
    dropped: Sequence[Leaving]
    tombstoned: Sequence[Leaving]

    def __repr__(self) -> str:
        names = ("archived", "expired", "faded", "dropped", "tombstoned")
        return brief(self, since(self.until, "until"), *(f"{len(getattr(self, name))} {name}" for name in names))


@dataclass(frozen=True, slots=True)
class Hold:
    """A legal hold on one scope, or on a whole tenant if *scope* is None.

    The hold is in force until it is *released*.
    """

    hold: int
    scope: Scope | None
    reason: str
    placed: datetime
    released: datetime | None = None

    def __repr__(self) -> str:
        ended = since(self.released, "released") or "in force"
        return brief(self, self.reason, self.scope.user if self.scope else "the tenant", ended, id=self.hold)
