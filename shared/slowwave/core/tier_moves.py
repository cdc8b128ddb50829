"""Tier moves: decides whether a memory moves up or down, and the time of the next check.

Accesses and sweeps use this module. A move up needs evidence that is newer than the last move. Therefore a memory that
moved down on old evidence stays down, and no memory oscillates while its evidence stays the same. A memory moves at
most one tier at a time.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from slowwave.core.decay import DecayPolicy
from slowwave.core.tiers import Fall, Level, Rise, TierPolicy
from slowwave.domain.standing import ARCHIVE, Standing

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Move:
    """The tier to which a memory moves, and the reason."""

    to: str
    reason: str


def move(memory: Standing, tiers: TierPolicy, decay: DecayPolicy, now: datetime) -> Move | None:
    """Return the move of *memory* at *now*, or None if *memory* stays. A pinned memory always stays."""
    if memory.pinned or (memory.moved is not None and memory.moved >= now):
        return None
    return _up(memory, tiers, now) or _down(memory, tiers, decay, now)


def due(memory: Standing, tiers: TierPolicy, decay: DecayPolicy) -> datetime | None:
    """Return the next time at which `move` could move *memory* down if it is not used again. None means never."""
    level = tiers.level(memory.tier)
    if memory.pinned or memory.tier == ARCHIVE:
        return None
    if level is None:
        return memory.created
    found = [when for fall in level.falls if (when := _falls_at(fall, memory, level, decay)) is not None]
    if not found:
        return None
    return min(found) if memory.moved is None else max(min(found), memory.moved + _TICK)


def victims(
    on_tier: Iterable[tuple[uuid.UUID, Standing]], capacity: int, strength: Callable[[Standing], float]
) -> list[uuid.UUID]:
    """Return the memories of *on_tier* to evict, so that the number left is at most *capacity*. Pinned memories always
    stay.

    The weakest memories are evicted. Of equally weak memories, the oldest are evicted.
    """
    memories = list(on_tier)
    loose = sorted(((strength(memory), memory.created, id_) for id_, memory in memories if not memory.pinned))
    return [id_ for _, _, id_ in loose[: max(0, len(memories) - capacity)]]


def _up(memory: Standing, tiers: TierPolicy, now: datetime) -> Move | None:
    level, above = tiers.level(memory.tier), tiers.above(memory.tier)
    if above is None:
        return None
    if level is None and memory.tier != ARCHIVE:
        return Move(above, f"the policy has no tier {memory.tier}")
    if memory.evidence is None or (memory.moved is not None and memory.evidence <= memory.moved):
        return None
    if level is None:
        return Move(above, "it was recalled from the archive")
    reason = next((why for rise in level.rises if (why := _rises(rise, memory, now))), None)
    return Move(above, reason) if reason else None


def _down(memory: Standing, tiers: TierPolicy, decay: DecayPolicy, now: datetime) -> Move | None:
    level, below = tiers.level(memory.tier), tiers.below(memory.tier)
    if level is None or below is None:
        return None
    reason = next((why for fall in level.falls if (why := _falls(fall, memory, level, decay, now))), None)
    return Move(below, reason) if reason else None


def _rises(rise: Rise, memory: Standing, now: datetime) -> str | None:
    parts: list[tuple[bool, str]] = []
    if rise.accesses is not None and rise.within is not None:
        recent = _recent(memory.accesses, now - rise.within)
        parts.append((recent >= rise.accesses, f"{recent} accesses in {_span(rise.within)}"))
    if rise.access_count is not None:
        parts.append((memory.access_count >= rise.access_count, f"{memory.access_count} accesses"))
    if rise.surprise is not None:
        parts.append((memory.surprise >= rise.surprise, f"a surprise of {memory.surprise:.2f}"))
    if rise.successes is not None:
        parts.append((memory.successes >= rise.successes, f"{memory.successes} successes"))
    return _all_of(parts)


def _falls(fall: Fall, memory: Standing, level: Level, decay: DecayPolicy, now: datetime) -> str | None:
    parts: list[tuple[bool, str]] = []
    if fall.idle is not None:
        parts.append((now - memory.used > fall.idle, f"idle for more than {_span(fall.idle)}"))
    if fall.fewer_than is not None and fall.within is not None:
        recent = _recent(memory.accesses, now - fall.within)
        parts.append((recent < fall.fewer_than, f"{recent} accesses in {_span(fall.within)}"))
    if fall.weaker_than is not None:
        strength = decay.strength(memory, now)
        settled = memory.moved is None or level.ttl is None or now - memory.moved > level.ttl
        parts.append((settled and strength < fall.weaker_than, f"weaker than {fall.weaker_than:g}"))
    return _all_of(parts)


def _falls_at(fall: Fall, memory: Standing, level: Level, decay: DecayPolicy) -> datetime | None:
    """Return the first time at which all conditions of *fall* hold if *memory* is not used again. None means never."""
    instants: list[datetime | None] = []
    if fall.idle is not None:
        instants.append(memory.used + fall.idle + _TICK)
    if fall.fewer_than is not None and fall.within is not None:
        last = memory.accesses[-fall.fewer_than :]
        instants.append(last[0] + fall.within + _TICK if len(last) == fall.fewer_than else memory.created)
    if fall.weaker_than is not None:
        weak = decay.falls_below(memory, fall.weaker_than)
        if weak is not None and memory.moved is not None and level.ttl is not None:
            weak = max(weak, memory.moved + level.ttl + _TICK)
        instants.append(weak)
    known = [instant for instant in instants if instant is not None]
    return max(known) if len(known) == len(instants) else None


def _recent(accesses: Sequence[datetime], since: datetime) -> int:
    return sum(access >= since for access in accesses)


def _all_of(parts: Sequence[tuple[bool, str]]) -> str | None:
    return " and ".join(reason for _, reason in parts) if all(holds for holds, _ in parts) else None


def _span(length: timedelta) -> str:
    """Return a duration in the largest unit that divides it.

    >>> _span(timedelta(days=7)), _span(timedelta(hours=1)), _span(timedelta(seconds=60))
    ('7 d', '1 h', '1 min')
    """
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if length % timedelta(seconds=unit) == timedelta(0):
            return f"{length // timedelta(seconds=unit)} {name}"
    return f"{length.total_seconds():g} s"
