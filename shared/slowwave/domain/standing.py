"""A memory's standing: its tier and its usage. It is derived and mutable, and not part of a belief."""

from dataclasses import dataclass, field
from datetime import datetime

from slowwave.formatting import brief, many, since

ARCHIVE = "archive"
"""The lowest tier, below the tiers of every policy: its memories are stored, but recall leaves them out by default."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of one memory.

    *kind* is `semantic` (a fact), `episodic`, `procedural`, `entity` or others; *source* says whether the memory was
    `stated` explicitly, `inferred`, or is a `statement`. *base* is its initial value, in [0, 1]; for a fact its
    confidence. *accesses* are the times of the last few accesses, oldest first, and *access_count* counts all accesses.
    *frequency* counts the episodes that confirmed the memory, *successes* the times it helped; *surprise* says how much
    more useful it was than expected, in [0, 1]. *evidence* is the time of the last access or feedback, *moved* that of
    the last change of tier, *reinforced* that of the last confirmation. *strength* is the remaining strength at the
    time of the query, in [0, 1], for a fact its remaining certainty; None if it was not queried.
    """

    kind: str
    source: str
    tier: str
    base: float
    created: datetime
    last_access: datetime | None = None
    reinforced: datetime | None = None
    access_count: int = 0
    accesses: tuple[datetime, ...] = ()
    frequency: int = 0
    surprise: float = 0.0
    successes: int = 0
    evidence: datetime | None = None
    moved: datetime | None = None
    pinned: bool = False
    strength: float | None = field(default=None, compare=False)

    @property
    def used(self) -> datetime:
        """The time of its last use: its last access, else its creation."""
        return self.last_access or self.created

    def __repr__(self) -> str:
        left = None if self.strength is None else f"strength {self.strength:.2f}"
        uses = many(self.access_count, "use")
        return brief(self, self.kind, f"tier {self.tier}", left, uses, since(self.created, "made"))
