"""The policy for tiers: the tiers of memory, hottest first, and the conditions for moves between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Literal

from slowwave.domain.standing import ARCHIVE

Overflow = Literal["summarise", "fall"]
"""The treatment of the weakest memories above capacity. They move one tier down, with or without a summary."""

Update = Literal["per_event", "per_round", "per_cycle", "nightly", "monthly"]
UPDATES: Mapping[Update, timedelta] = {
    "per_event": timedelta(seconds=10),
    "per_round": timedelta(minutes=1),
    "per_cycle": timedelta(hours=1),
    "nightly": timedelta(days=1),
    "monthly": timedelta(days=30),
}
"""The longest interval between sweeps of a tier, by the name of the interval. If no memory is due, a sweep costs an
index look-up."""

LAST_ACCESSES = 8
"""The number of access times that are kept per memory. No rule may count more accesses."""


@dataclass(frozen=True, slots=True)
class Rise:
    """The conditions for a move one tier up. All given conditions must hold.

    The memory needs at least *accesses* accesses in the time *within*, at least *access_count* accesses in total, a
    surprise of at least *surprise*, and at least *successes* successes.
    """

    accesses: int | None = None
    within: timedelta | None = None
    access_count: int | None = None
    surprise: float | None = None
    successes: int | None = None


@dataclass(frozen=True, slots=True)
class Fall:
    """The conditions for a move one tier down. All given conditions must hold.

    The memory must have had no access for longer than *idle*. In the time *within*, it must have had fewer accesses
    than *fewer_than*. Its strength must be below *weaker_than*.
    """

    idle: timedelta | None = None
    fewer_than: int | None = None
    within: timedelta | None = None
    weaker_than: float | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """One tier.

    *ttl* is the time for which a memory may be idle on this tier before it may move down. It deletes no memory.
    *capacity* is the largest number of memories of a scope on this tier. *importance* is the tier's range of
    importance; the upper end is excluded. *half_life* applies if strength decays by tier. *update* names the longest
    interval between sweeps. A memory moves up if it meets any of *rises*, and down if it meets any of *falls*.
    *overflow* is the treatment of memories above capacity.
    """

    name: str
    ttl: timedelta | None = None
    capacity: int | None = None
    importance: tuple[float, float] | None = None
    half_life: timedelta | None = None
    update: Update = "nightly"
    rises: tuple[Rise, ...] = ()
    falls: tuple[Fall, ...] = ()
    overflow: Overflow = "fall"


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """Tiers, hottest first. By default, a memory starts on the tier *entry*."""

    levels: tuple[Level, ...]
    entry: str

    def entry_for(self, importance: float) -> str:
        """Return the tier on which a memory of this *importance* (0 to 1) starts.

        If the tiers have no ranges of importance, each tier has an equal range, and hotter tiers have higher ranges.
        """
        for number, level in enumerate(self.levels, 1):
            least = level.importance[0] if level.importance else 1 - number / len(self.levels)
            if importance >= least:
                return level.name
        return self.levels[-1].name

    @property
    def context_tiers(self) -> tuple[str, ...]:
        """The tiers from which a prompt context is filled first: the tier above the entry tier, and the entry tier."""
        return tuple(tier for tier in (self.above(self.entry), self.entry) if tier is not None)

    def level(self, tier: str) -> Level | None:
        """Return the tier of that name. Return None for the archive, and for a tier of an older policy."""
        return next((level for level in self.levels if level.name == tier), None)

    def above(self, tier: str) -> str | None:
        """Return the next hotter tier, or None for the hottest tier.

        For the archive, return the coldest tier. For an unknown tier, return the entry tier.
        """
        names = [level.name for level in self.levels]
        if tier not in names:
            return names[-1] if tier == ARCHIVE else self.entry
        return names[names.index(tier) - 1] if tier != names[0] else None

    def below(self, tier: str) -> str | None:
        """Return the next colder tier, which is the archive for the coldest tier.

        Return None for the archive and unknown tiers.
        """
        names = [*(level.name for level in self.levels), ARCHIVE]
        return names[names.index(tier) + 1] if tier in names[:-1] else None

    @property
    def archives(self) -> bool:
        """True if a memory may move down from the coldest tier."""
        return bool(self.levels[-1].falls) or self.levels[-1].capacity is not None

    @property
    def pace(self) -> timedelta | None:
        """The longest interval between sweeps that the tiers allow: their shortest ttl or update interval.

        Only tiers from which memories move down count. It is None if there are no such tiers.
        """
        lengths = [each for level in self.levels if level.falls for each in (UPDATES[level.update], level.ttl) if each]
        return min(lengths, default=None)

    @property
    def half_lives(self) -> Mapping[str, timedelta]:
        """The half-lives of the tiers that have a half-life."""
        return {level.name: level.half_life for level in self.levels if level.half_life is not None}

    def problems(self) -> list[str]:
        """Return every problem of this list of tiers, such as conditions that would move a memory endlessly."""
        names = [level.name for level in self.levels]
        found = [f"levels: {name} is listed twice" for name in sorted({n for n in names if names.count(n) > 1})]
        if ARCHIVE in names:
            found.append(f"levels: no tier may be called {ARCHIVE}, which is below every tier")
        if self.entry not in names:
            found.append(f"entry: there is no tier {self.entry}, expected one of {', '.join(names)}")
        for number, level in enumerate(self.levels):
            found += [f"levels.{number}.{problem}" for problem in _problems_of(level)]
        if self.levels and self.levels[0].rises:
            found.append("levels.0.rise: no tier is hotter than the first")
        return found + self._bands()

    def _bands(self) -> list[str]:
        """Return the problems of the ranges of importance, which must not overlap and must have no gap."""
        bands = [(level.name, level.importance) for level in self.levels if level.importance is not None]
        if not bands:
            return []
        if len(bands) < len(self.levels):
            return ["levels: expected an importance band for every tier or for none"]
        found = []
        for (hotter, (low, _)), (colder, (_, high)) in pairwise((name, band) for name, band in bands if band):
            if high > low:
                found.append(f"levels: the importance bands of {hotter} and {colder} overlap from {low} to {high}")
            elif high < low:
                found.append(f"levels: no tier between {hotter} and {colder} is for importance {high} to {low}")
        return found


def _problems_of(level: Level) -> list[str]:
    found = []
    if level.importance is not None and not 0 <= level.importance[0] < level.importance[1] <= 1:
        found.append(f"importance: expected two numbers from 0 to 1, the lower first, got {level.importance}")
    for number, rise in enumerate(level.rises):
        if all(value is None for value in (rise.accesses, rise.access_count, rise.surprise, rise.successes)):
            found.append(f"rise.{number}: expected accesses, access_count, surprise or successes")
        if (rise.accesses is None) != (rise.within is None):
            found.append(f"rise.{number}: accesses and within belong together")
        if rise.accesses is not None and not 1 <= rise.accesses <= LAST_ACCESSES:
            found.append(f"rise.{number}.accesses: expected 1 to {LAST_ACCESSES}, got {rise.accesses}")
    for number, fall in enumerate(level.falls):
        if all(value is None for value in (fall.idle, fall.fewer_than, fall.weaker_than)):
            found.append(f"fall.{number}: expected idle, fewer_than or weaker_than")
        if (fall.fewer_than is None) != (fall.within is None):
            found.append(f"fall.{number}: fewer_than and within belong together")
        if fall.fewer_than is not None and not 1 <= fall.fewer_than <= LAST_ACCESSES:
            found.append(f"fall.{number}.fewer_than: expected 1 to {LAST_ACCESSES}, got {fall.fewer_than}")
    return found
