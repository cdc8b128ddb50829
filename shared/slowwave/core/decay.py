"""Decay: the strength of a memory as a closed formula, and the instant at which the strength falls below a threshold.

No row is written as time passes. Strength is computed from a memory's initial value and its use. Therefore, it does not
matter how often strength is computed. `store/tiers/decay.sql` has the same formula for sets of rows.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from slowwave.domain.standing import Standing

Anchor = Literal["created", "last_access", "reinforced"]

MOST_HALVINGS = 1000.0
"""The maximum number of halvings that are computed. After more, a float underflows, and a database reports an error."""

MOST_ACCESSES = 1000
"""The maximum number of accesses that lengthen a half-life."""

LONGEST = 1e9
"""The largest factor by which a half-life grows."""

_DAY_SECONDS = 86_400.0
_CENTURY_SECONDS = 36_525 * _DAY_SECONDS
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class DecayRule:
    """A rule of decay for memories of one *kind*, *tier* and *source*. None matches any value.

    The half-life is ``half_life_seconds · (1 + per_access · accesses + per_importance · base) · stretch^accesses``. A
    memory does not fade before the age *gate*. After *gate*, *shift* is subtracted from the age. Age never takes
    strength below *floor*. *familiarity* is added for many accesses, and *freshness* for recent accesses. Memories that
    fall below *forget_below* are forgotten. If *forget_below* is None, no memory is forgotten.
    """

    half_life_seconds: float
    anchor: Anchor = "created"
    kind: str | None = None
    tier: str | None = None
    source: str | None = None
    gate: timedelta = timedelta(0)
    shift: timedelta = timedelta(0)
    per_access: float = 0.0
    per_importance: float = 0.0
    stretch: float = 1.0
    floor: float = 0.0
    familiarity: float = 0.0
    freshness: float = 0.0
    forget_below: float | None = None

    def problems(self) -> list[str]:
        """Return the problems of this rule.

        Strength must stay in [0, 1], must not grow with age, and must not shrink with use.
        """
        found = []
        if not 0 < self.half_life_seconds < math.inf:
            found.append(f"half_life: expected more than 0, got {self.half_life_seconds} seconds")
        if self.gate < self.shift or self.shift < timedelta(0):
            found.append(f"shift: expected 0 up to the gate of {self.gate}, got {self.shift}")
        for name in ("per_access", "per_importance", "familiarity", "freshness"):
            if not 0 <= (value := getattr(self, name)) <= 10:
                found.append(f"{name}: expected 0 to 10, got {value}")
        if not 1 <= self.stretch <= 2:
            found.append(f"stretch: expected 1 to 2, got {self.stretch}")
        for name in ("floor", "forget_below"):
            if (value := getattr(self, name)) is not None and not 0 <= value <= 1:
                found.append(f"{name}: expected 0 to 1, got {value}")
        return found

    def covers(self, memory: Standing) -> bool:
        """Return whether this rule applies to *memory*."""
        return (
            self.kind in (None, memory.kind)
            and self.tier in (None, memory.tier)
            and self.source in (None, memory.source)
        )

    def half_life_of(self, memory: Standing) -> float:
        """Return the half-life of *memory* in seconds.

        In this time, the memory loses half of the strength that can fade.
        """
        accesses = min(memory.access_count, MOST_ACCESSES)
        longer = (1 + self.per_access * accesses + self.per_importance * memory.base) * self.stretch**accesses
        return self.half_life_seconds * min(longer, LONGEST)

    def strength(self, memory: Standing, now: datetime) -> float:
        """Return the strength of *memory* at *now*, in [0, 1]."""
        age = max(0.0, (now - self._anchor(memory)).total_seconds())
        faded = 0.0 if age < self.gate.total_seconds() else age - self.shift.total_seconds()
        halvings = min(faded / self.half_life_of(memory), MOST_HALVINGS)
        idle_days = max(0.0, (now - memory.used).total_seconds()) / _DAY_SECONDS
        return _clamp(
            self.floor
            + max(0.0, memory.base - self.floor) * 2.0**-halvings
            + self._familiarity(memory)
            + self.freshness * math.exp(-min(idle_days, 500.0))
        )

    def falls_below(self, memory: Standing, threshold: float) -> datetime | None:
        """Return the first instant at which *memory* is weaker than *threshold*, to a microsecond, or None."""
        if threshold <= 0:
            return None
        first = self._falls_unfreshened(memory, threshold)
        if first is None or self.freshness == 0:
            return first
        return self._search(memory, threshold, first)

    def _falls_unfreshened(self, memory: Standing, threshold: float) -> datetime | None:
        """Return the time at which *memory* would fall below *threshold* without the bonus for recent accesses, or
        None.

        The real fall is not earlier.
        """
        start = self._anchor(memory)
        lasting = self.floor + self._familiarity(memory)
        fading = max(0.0, memory.base - self.floor)
        if lasting + fading < threshold:
            return start
        if lasting >= threshold:
            return None
        after = self.half_life_of(memory) * math.log2(fading / (threshold - lasting)) + self.shift.total_seconds()
        if after >= _CENTURY_SECONDS:
            return None
        return start + (self.gate if after < self.gate.total_seconds() else timedelta(seconds=after) + _TICK)

    def _search(self, memory: Standing, threshold: float, first: datetime) -> datetime | None:
        """Return the instant of the fall below *threshold*, found by bisection.

        The search is from *first* to the end of the bonus for recent accesses.
        """
        low, high = first, max(first, memory.used + timedelta(days=500)) + _TICK
        if self.strength(memory, low) < threshold:
            return low
        if self.strength(memory, high) >= threshold:
            return None
        while high - low > _TICK:
            middle = low + (high - low) / 2
            low, high = (low, middle) if self.strength(memory, middle) < threshold else (middle, high)
        return high

    def _anchor(self, memory: Standing) -> datetime:
        if self.anchor == "last_access":
            return memory.used
        return (self.anchor == "reinforced" and memory.reinforced) or memory.created

    def _familiarity(self, memory: Standing) -> float:
        return self.familiarity * math.log1p(memory.access_count)


@dataclass(frozen=True, slots=True)
class DecayPolicy:
    """The rules of decay. The first rule that matches a memory applies. A memory without a rule keeps its strength."""

    rules: tuple[DecayRule, ...] = ()

    def rule_of(self, memory: Standing) -> DecayRule | None:
        """Return the rule by which *memory* fades, or None if *memory* is pinned or has no rule."""
        if memory.pinned:
            return None
        return next((rule for rule in self.rules if rule.covers(memory)), None)

    def strength(self, memory: Standing, now: datetime) -> float:
        """Return the strength of *memory* at *now*, in [0, 1]. For a fact, it is the effective confidence."""
        rule = self.rule_of(memory)
        return _clamp(memory.base) if rule is None else rule.strength(memory, now)

    def falls_below(self, memory: Standing, threshold: float) -> datetime | None:
        """Return the instant from which *memory* is weaker than *threshold*, or None if this never happens."""
        rule = self.rule_of(memory)
        if rule is None:
            return memory.created if _clamp(memory.base) < threshold and not memory.pinned else None
        return rule.falls_below(memory, threshold)

    def due(self, memory: Standing) -> datetime | None:
        """Return the instant at which *memory* falls below `forget_below` of its rule, or None if it never does."""
        rule = self.rule_of(memory)
        if rule is None or rule.forget_below is None:
            return None
        return rule.falls_below(memory, rule.forget_below)

    @property
    def shelves(self) -> bool:
        """True if a rule forgets memories that are neither facts nor entities. Forgotten facts are withdrawn."""
        return any(rule.forget_below is not None and rule.kind not in ("semantic", "entity") for rule in self.rules)

    def forgotten(self, memory: Standing, now: datetime) -> bool:
        """Return whether the strength of *memory* is below its rule's `forget_below` at *now*."""
        rule = self.rule_of(memory)
        return rule is not None and rule.forget_below is not None and rule.strength(memory, now) < rule.forget_below


def per_day(rate: float) -> float:
    """Return the half-life, in seconds, of a strength that falls to the share *rate* every day.

    >>> round(per_day(0.95) / 86_400, 2)
    13.51
    """
    return _DAY_SECONDS * math.log(0.5) / math.log(rate)


def time_constant(tau_seconds: float) -> float:
    """Return the half-life, in seconds, of a strength that falls to 1/e in *tau_seconds*.

    >>> round(time_constant(86_400), 1)
    59887.9
    """
    return tau_seconds * math.log(2)


def by_tier(rule: DecayRule, half_lives: Mapping[str, timedelta]) -> tuple[DecayRule, ...]:
    """Return one copy of *rule* per tier that it covers, with the half-life of this tier."""
    return tuple(
        replace(rule, tier=tier, half_life_seconds=half_life.total_seconds())
        for tier, half_life in half_lives.items()
        if rule.tier in (None, tier)
    )


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
