"""A broken invariant, found by a check of the database."""

import uuid
from dataclasses import dataclass

from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of an *invariant*, and the *remedy*. Only ids and numbers describe the violation."""

    invariant: str
    subject: str
    remedy: str
    tenant: str
    scope: uuid.UUID | None = None

    def __repr__(self) -> str:
        return brief(self, self.invariant, self.subject)

    def __str__(self) -> str:
        owner = f" of scope {self.scope}" if self.scope else ""
        return f"{self.invariant}: {self.subject}{owner}, tenant {self.tenant}"
