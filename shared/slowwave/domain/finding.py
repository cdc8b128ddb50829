"""A promise that does not hold, found by looking."""

import uuid
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Where an *invariant* does not hold: ids and numbers only, and what to do about it."""

    invariant: str
    subject: str
    remedy: str
    tenant: str
    scope: uuid.UUID | None = None

    def __str__(self) -> str:
        whose = f" of scope {self.scope}" if self.scope else ""
        return f"{self.invariant}: {self.subject}{whose}, tenant {self.tenant}"
