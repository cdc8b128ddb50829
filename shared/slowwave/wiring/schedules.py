"""The schedules of a cadence, one per kind of trigger."""

from collections.abc import Iterator
from typing import Any

from slowwave.ports import Schedule, ScheduleKind
from slowwave.rules import Cadence
from slowwave.rules.cadence import ANY_RUNG


def schedules(name: str, job: str, pack: str, cadence: Cadence) -> Iterator[Schedule]:
    """Give the schedules of a job, named `name/kind`, each with the values that its kind needs."""

    def entry(kind: ScheduleKind, **fields: Any) -> Schedule:
        return Schedule(f"{name}/{kind}", job, pack, kind, missed=cadence.missed, **fields)

    if cadence.every is not None:
        yield entry("count", every=cadence.every)
    if cadence.max_age is not None:
        yield entry("age", seconds=cadence.max_age.total_seconds())
    if cadence.cron is not None:
        yield entry("cron", cron=cadence.cron, zone=cadence.tz)
    if cadence.interval is not None:
        yield entry("interval", seconds=cadence.interval.total_seconds())
    if cadence.idle is not None:
        yield entry("idle", seconds=cadence.idle.total_seconds())
    if (shift := cadence.semantic_shift) is not None:
        yield entry("semantic_shift", threshold=shift.threshold, min_events=shift.min_events, reference=shift.reference)
    if cadence.token_pressure is not None:
        yield entry("token_pressure", every=cadence.token_pressure)
    if cadence.capacity is not None:
        yield entry("capacity", rung=None if cadence.capacity == ANY_RUNG else cadence.capacity)
    if cadence.session_end:
        yield entry("session_end")
