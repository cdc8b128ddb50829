"""Retention periods: the times when conversations are archived or expire, and when other data is removed.

All periods count from the last use. The last use of a conversation is its last episode, or the last time when it was
restored. The last use of a fact is the last time when it was learned, confirmed or recalled. The last use of an entity
is the last time when it was mentioned or recalled. No other event of a memory, such as promotion or a tier move,
shortens its retention.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from slowwave.core.decay import DecayPolicy
from slowwave.domain.standing import Standing

LOOK_AGAIN = timedelta(days=30)
"""The longest interval between checks of an entity that no fact needs, because the periods of a policy may become
shorter."""

EPISODIC, ENTITY = "episodic", "entity"


@dataclass(frozen=True, slots=True)
class Retention:
    """The retention periods of an installation or a tenant.

    Conversations that are idle for *archive_conversations_after* are archived, which can be undone. Entities that are
    weaker than *entity_floor* and idle for *entity_idle* are tombstoned, unless a fact needs them. Audit rows, hourly
    counts and model calls are dropped after *audit_kept*. Firings, heartbeats, and runs without episodes and deltas are
    dropped after *bookkeeping_kept*. Memories of a kind are dropped after the time in *drop_after*, and never if their
    kind is not listed. While *legal_hold* is set, nothing is removed.
    """

    archive_conversations_after: timedelta | None = timedelta(days=90)
    entity_floor: float = 0.1
    entity_idle: timedelta = timedelta(days=30)
    audit_kept: timedelta = timedelta(days=400)
    bookkeeping_kept: timedelta = timedelta(days=30)
    drop_after: Mapping[str, timedelta] = field(default_factory=dict)
    legal_hold: bool = False

    @property
    def periods(self) -> dict[str, Any]:
        """Return the retention periods as JSON values for a firing. Periods are in seconds, and null means forever."""

        def seconds(after: timedelta | None) -> float | None:
            return None if after is None or self.legal_hold else after.total_seconds()

        facts = {kind: after for kind, after in self.drop_after.items() if kind not in (EPISODIC, ENTITY)}
        return {
            "archive": seconds(self.archive_conversations_after),
            "expire": seconds(self.drop_after.get(EPISODIC)),
            "drop": {} if self.legal_hold else {kind: seconds(after) for kind, after in facts.items()},
            "hold": self.legal_hold,
        }

    def archive_before(self, now: datetime) -> datetime | None:
        """Return the time before which a conversation must have been used last to be archived at *now*. None means
        never.
        """
        return self._before(self.archive_conversations_after, now)

    def expire_before(self, now: datetime) -> datetime | None:
        """Return the time before which an archived conversation must have been used last to expire at *now*. None means
        never.
        """
        return self._before(self.drop_after.get(EPISODIC), now)

    def drop_before(self, now: datetime) -> Mapping[str, datetime]:
        """Return, by kind, the time before which a memory must have been used last to be dropped at *now*.

        Kinds without a time are kept.
        """
        kinds = {kind: self._before(after, now) for kind, after in self.drop_after.items()}
        return {kind: at for kind, at in kinds.items() if at is not None and kind not in (EPISODIC, ENTITY)}

    def tombstones(self, entity: Standing, decay: DecayPolicy, now: datetime) -> bool:
        """Return whether an *entity* without facts is tombstoned at *now*."""
        if self.legal_hold or entity.pinned:
            return False
        return now - entity.used >= self.entity_idle and decay.strength(entity, now) < self.entity_floor

    def faded(self, entity: Standing, decay: DecayPolicy, now: datetime) -> bool:
        """Return whether *entity* is so weak at *now* that it gets a tombstone after being idle long enough."""
        return decay.strength(entity, now) < self.entity_floor

    def look(self, entity: Standing, decay: DecayPolicy, now: datetime) -> datetime:
        """Return the next time to check whether an *entity* without a tombstone at *now* needs a tombstone."""
        latest = now + LOOK_AGAIN
        falls = decay.falls_below(entity, self.entity_floor)
        return latest if falls is None else min(max(falls, entity.used + self.entity_idle), latest)

    def _before(self, after: timedelta | None, now: datetime) -> datetime | None:
        return None if after is None or self.legal_hold else now - after
