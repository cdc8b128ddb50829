"""Webhooks: URLs that receive each delta. `Webhook` is for lists, and `ClaimedWebhook` is for deliveries."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook as lists show it, without the secret.

    The webhook receives the deltas of its *kinds*. If *user*, *agent* or *channel* is set, the webhook receives only
    the deltas of this user, agent or channel. *trouble* is the error of the last attempt. *failing* is the start of an
    unbroken series of failures. *disabled* is the time when the webhook was disabled because of the failures.
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
class ClaimedWebhook:
    """A claimed webhook. *recorded* and *delta* are the time and the id of the last handled delta.

    *token* proves that no other worker has claimed the webhook in the meantime. *attempts* is the number of consecutive
    failures.
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
        """Return whether the webhook subscribes to a delta."""
        scope = one.scope
        named = ((self.user, scope.user), (self.agent, scope.agent), (self.channel, scope.channel))
        return one.delta.kind in self.kinds and all(wanted in (None, there) for wanted, there in named)

    def __repr__(self) -> str:
        return brief(self, self.url, f"behind {self.delta}", id=self.webhook)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a receiver: the HTTP *status*, which is None without an answer, and a *description*.

    *retry_after_seconds* is the pause that the receiver asks for.

    >>> Answered(204, "answered 204").accepted
    True
    """

    status: int | None
    description: str
    retry_after_seconds: float | None = None

    @property
    def accepted(self) -> bool:
        """True if the receiver accepted the delivery."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        """True if the receiver wants no more deliveries."""
        return self.status == 410

    @property
    def said(self) -> str:
        """The former name of `description`."""
        warn_of_former("said", "description")
        return self.description

    @property
    def taken(self) -> bool:
        """The former name of `accepted`."""
        warn_of_former("taken", "accepted")
        return self.accepted

    def __repr__(self) -> str:
        return brief(self, self.description)
