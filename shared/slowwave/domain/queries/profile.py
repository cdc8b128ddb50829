"""A profile of a user: the current facts about the user, in parts by purpose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.fact import Fact
from slowwave.formatting import brief, many


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """One entry of a profile: the *value* of a *predicate*, with the *fact* that has this value.

    *reasons* are the fact's `confidence`, its current `strength`, and its `frequency`, the number of episodes that
    repeated it. *because* is the reason, in words, why the entry is in this part of the profile.
    """

    predicate: str
    value: str
    fact: Fact
    reasons: Mapping[str, float]
    because: str

    def __repr__(self) -> str:
        strength = self.reasons.get("strength")
        return brief(
            self, self.predicate, self.value, None if strength is None else f"strength {strength:.2f}", id=self.fact.id
        )


@dataclass(frozen=True, slots=True)
class Profile:
    """A user's profile: the facts that are believed now, in parts. In each part, the strongest facts come first.

    *created_at* is the time when the oldest of these facts was recorded, and *updated_at* is the time when the newest
    was recorded. Both are None without facts.
    """

    user_id: str
    preferences: Sequence[ProfileEntry]
    expertise_areas: Sequence[ProfileEntry]
    communication_style: Sequence[ProfileEntry]
    metadata: Sequence[ProfileEntry]
    created_at: datetime | None
    updated_at: datetime | None

    @property
    def entries(self) -> list[ProfileEntry]:
        """All entries, part by part."""
        return [*self.preferences, *self.expertise_areas, *self.communication_style, *self.metadata]

    def __repr__(self) -> str:
        known = (many(len(part), name) for part, name in ((self.preferences, "preference"), (self.entries, "fact")))
        return brief(self, self.user_id, *known)
