"""A memory's standing: its tier and its usage. The standing is derived and mutable, and is not part of a belief."""

from dataclasses import dataclass, field
from datetime import datetime

from slowwave.formatting import brief, many, since

ARCHIVE = "archive"
"""The lowest tier, below the tiers of every policy. Memories on this tier are stored, but recall leaves them out by
default."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of one memory.

    *kind* is `semantic` (a fact), `episodic`, `procedural`, `entity` or another kind. *source* says whether the memory
    was `stated` explicitly, was `inferred`, or is a `statement`. *base* is the initial value, in [0, 1]; for a fact, it
    is the confidence. *accesses* are the times of the last few accesses, oldest first, and *access_count* counts all
    accesses. *frequency* counts the episodes that confirmed the memory. *successes* counts the times when the memory
    helped. *surprise*, in [0, 1], says how much more useful the memory was than expected. *evidence* is the time of the
    last access or feedback, *moved* is the time of the last change of tier, and *reinforced* is the time of the last
    confirmation. *strength* is the remaining strength at the time of the query, in [0, 1], or None if the query left
    out the strength. For a fact, the strength is the remaining certainty.
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
        """The time of the last access, or of the creation if there was no access."""
        return self.last_access or self.created

    def __repr__(self) -> str:
        left = None if self.strength is None else f"strength {self.strength:.2f}"
        uses = many(self.access_count, "use")
        return brief(self, self.kind, f"tier {self.tier}", left, uses, since(self.created, "made"))
