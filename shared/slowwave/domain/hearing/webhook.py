"""Webhooks: addresses that are told each delta, as they are listed, and as they are taken up by who delivers."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.brief import brief
from slowwave.domain.delta import AppliedDelta, Kind


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook as it is listed: its secret is known to nobody but who was handed it, and to who signs.

    It is told the deltas of these *kinds*, of one *user*, *agent* and *channel* where they are named. *trouble* says
    why the last attempt failed, *failing* since when all have, and *disabled* when it was given up for it.
    """

    webhook: uuid.UUID
    url: str
    kinds: Sequence[Kind]
    user: str | None
    agent: str | None
    channel: str | None
    created: datetime
    delivered: int
    attempts: int
    due: datetime
    failing: datetime | None = None
    trouble: str | None = None
    disabled: datetime | None = None

    def __repr__(self) -> str:
        return brief(self, self.url, "disabled" if self.disabled else self.trouble, id=self.webhook)


@dataclass(frozen=True, slots=True)
class Owed:
    """A webhook that is taken up: it has been told all recorded before *recorded*, and up to *delta* then.

    *token* proves that nobody else has taken it up since; *attempts* have failed in a row.
    """

    webhook: uuid.UUID
    tenant: str
    url: str
    secret: str
    kinds: Sequence[str]
    user: str | None
    agent: str | None
    channel: str | None
    recorded: datetime
    delta: uuid.UUID | None
    token: int
    attempts: int

    def wants(self, one: AppliedDelta) -> bool:
        """Return whether the webhook is to be told of a delta."""
        scope = one.scope
        named = ((self.user, scope.user), (self.agent, scope.agent), (self.channel, scope.channel))
        return one.delta.kind in self.kinds and all(wanted in (None, there) for wanted, there in named)

    def __repr__(self) -> str:
        return brief(self, self.url, f"behind {self.delta}", id=self.webhook)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a receiver: its *status*, None where none came; *said* says so. It wants to be left alone so long.

    >>> Answered(204, "answered 204").taken
    True
    """

    status: int | None
    said: str
    retry_after_seconds: float | None = None

    @property
    def taken(self) -> bool:
        """True where the receiver has it."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """True where the receiver wants nothing any more."""
        return self.status == 410

    def __repr__(self) -> str:
        return brief(self, self.said)
