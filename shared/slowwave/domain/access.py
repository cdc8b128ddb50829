"""Callers over HTTP, their API keys, the verbs that a key permits, and the quotas of a tenant."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from slowwave.formatting import brief

Verb = Literal["push", "recall", "review", "operate"]
"""`push` stores; `recall` reads memories; `review` changes them by hand; `operate` manages jobs and schedules."""
VERBS: tuple[Verb, ...] = get_args(Verb)
EVERY = "*"
EPISODES, BYTES = "episodes-a-minute", "bytes-a-day"
TOKENS, CENTS, TURNS = "tokens-a-day", "cents-a-day", "runs-in-turn"
PERIODS: Mapping[str, float | None] = {
    EPISODES: 60.0,
    BYTES: 86_400.0,
    "recalls-a-minute": 60.0,
    "episodes-waiting": None,
    TOKENS: None,
    CENTS: None,
    TURNS: None,
}
"""The quotas, with the seconds in which each quota refills. The value is None for quotas that do not refill: pending
episodes; the tokens and the cost of model calls of a day (UTC), in hundredths of the currency of the prices; and the
runs that a worker does for a tenant before it looks for work of other tenants."""
Applies = Literal["tenant", "each user", "user"]
"""Whether a quota is one limit for a whole tenant, a limit for each user, or the limit of one user."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller over HTTP. *key* is None if no key is needed, and *verbs* are the permitted verbs."""

    tenant: str
    key: uuid.UUID | None
    verbs: Sequence[str]

    def may(self, verb: str) -> bool:
        """Return whether the caller may use *verb*."""
        return verb in self.verbs or EVERY in self.verbs

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}", ", ".join(self.verbs), id=self.key)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key as a list shows it, without its secret.

    Slowwave shows the secret only once, and stores only a hash of the secret.
    """

    key: uuid.UUID
    name: str
    verbs: Sequence[str]
    created: datetime
    revoked: datetime | None = None

    def __repr__(self) -> str:
        return brief(self, self.name, ", ".join(self.verbs), "revoked" if self.revoked else None, id=self.key)


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit for a tenant, for each user, or for one *user*: at most the amount *most* of *what* may be used.

    *left* is the amount that is unused now. *left* is None for a limit of each user, and for `runs-in-turn`, which is
    not used up.
    """

    what: str
    most: int
    left: int | None
    applies: Applies = "tenant"
    user: str | None = None

    def __repr__(self) -> str:
        left = f"{self.most}" if self.left is None else f"{self.left} of {self.most} left"
        return brief(self, left, f"{self.applies} {self.user or ''}".strip(), id=self.what)
