"""Callers over HTTP, their keys, and the verbs that a key may be for."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from slowwave.brief import brief

Verb = Literal["push", "recall", "review", "operate"]
"""`push` stores; `recall` reads what is remembered; `review` changes it by hand; `operate` looks after the work."""
VERBS: tuple[Verb, ...] = get_args(Verb)
EVERY = "*"


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who calls: for one *tenant*, by a *key* (None where none is needed), with leave for these *verbs*."""

    tenant: str
    key: uuid.UUID | None
    verbs: Sequence[str]

    def may(self, verb: str) -> bool:
        """Return whether the caller may ask for *verb*."""
        return verb in self.verbs or EVERY in self.verbs

    def __repr__(self) -> str:
        return brief(self, f"tenant {self.tenant}", ", ".join(self.verbs), id=self.key)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed: what it opens is known to nobody but who was handed it."""

    key: uuid.UUID
    name: str
    verbs: Sequence[str]
    created: datetime
    revoked: datetime | None = None

    def __repr__(self) -> str:
        return brief(self, self.name, ", ".join(self.verbs), "revoked" if self.revoked else None, id=self.key)
