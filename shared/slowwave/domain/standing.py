"""A memory's standing: its tier and what is known of its use. Derived and mutable; no belief."""

from dataclasses import dataclass, field
from datetime import datetime

from slowwave.brief import brief, many, since

ARCHIVE = "archive"
"""The tier below every ladder: kept, and left out of default recall."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One memory's standing.

    *kind* is what it is: `semantic` (a fact), `episodic`, `procedural`, `entity` and others; *source* says whether it
    was `stated` in so many words, `inferred`, or is a `statement`. *base* is what it was worth when it was written, in
    [0, 1]; for a fact its confidence. *accesses* are the last few times it was returned to somebody, oldest first,
    and *access_count* counts all of them. *frequency* counts the episodes that confirmed it, *successes* the times it
    helped; *surprise* says how much more useful it was than expected, in [0, 1]. *evidence* is the last access or
    feedback, *moved* the last change of tier; *reinforced* the last confirmation. *strength* is how much of the memory
    was left when it was asked for, in [0, 1]: of a fact, how sure it still is. None where nobody asked.
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
        """The time it was last of use: its last access, else its making."""
        return self.last_access or self.created

    def __repr__(self) -> str:
        left = None if self.strength is None else f"strength {self.strength:.2f}"
        uses = many(self.access_count, "use")
        return brief(self, self.kind, f"tier {self.tier}", left, uses, since(self.created, "made"))
