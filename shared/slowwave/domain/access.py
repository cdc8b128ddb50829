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
PERIODS: Mapping[str, float | None] = {
    "episodes-a-minute": 60.0,
    "bytes-a-day": 86_400.0,
    "recalls-a-minute": 60.0,
    "episodes-waiting": None,
}
"""The quotas, with the seconds in which each quota refills. The value is None for the quota of pending episodes, which
does not refill."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller, with the caller's *tenant*, *key* (None if no key is needed) and permitted *verbs*."""

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
    """An API key in a list, without its secret.

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
    """A quota of a tenant. *most* is the limit of *what*, and *left* is the part that is unused now."""

    what: str
    most: int
    left: int

    def __repr__(self) -> str:
        return brief(self, f"{self.left} of {self.most} left", id=self.what)
