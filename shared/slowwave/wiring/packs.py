"""Which packs are installed, and what to register for them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from slowwave.domain.run import CONSOLIDATE, pack_of
from slowwave.rules import Cadence, Pack, find_pack_folders, load_pack
from slowwave.settings import Settings
from slowwave.store import registry


def load_packs(settings: Settings) -> list[Pack]:
    """Return the rule packs of SLOWWAVE_RULES, the checkout and the wheel, the first of a name wins."""
    roots: list[Path] = [settings.rules] if settings.rules else []
    return [load_pack(folder) for folder in find_pack_folders(roots).values()]


def entries(
    packs: Iterable[Pack], cadences: Mapping[str, Cadence], jobs: Iterable[str], triggers: Mapping[str, Cadence]
) -> tuple[list[registry.PackEntry], list[registry.ScheduleEntry]]:
    """Return what to register for *packs*, and for the *jobs* that belong to every installation.

    *cadences* go before those that the packs declare; *triggers* are the jobs'.
    """
    found: list[registry.PackEntry] = []
    schedules: list[registry.ScheduleEntry] = []
    for job in jobs:
        found.append(registry.PackEntry(pack_of(job), job, 1, hashlib.sha256(job.encode()).digest()))
        if job in triggers:
            schedules += _schedules(job, job, pack_of(job), triggers[job])
    for pack in packs:
        found.append(registry.PackEntry(pack.pack, CONSOLIDATE, pack.version, bytes.fromhex(pack.digest)))
        schedules += _schedules(pack.pack, CONSOLIDATE, pack.pack, cadences.get(pack.pack, pack.cadence))
    return found, schedules


def _schedules(name: str, job: str, pack: str, cadence: Cadence) -> Iterator[registry.ScheduleEntry]:
    def entry(kind: str, **fields: Any) -> registry.ScheduleEntry:
        return registry.ScheduleEntry(f"{name}/{kind}", job, pack, kind, missed=cadence.missed, **fields)

    if cadence.every is not None:
        yield entry("count", every=cadence.every)
    if cadence.max_age is not None:
        yield entry("age", seconds=cadence.max_age.total_seconds())
    if cadence.cron is not None:
        yield entry("cron", cron=cadence.cron, zone=cadence.tz)
    if cadence.interval is not None:
        yield entry("interval", seconds=cadence.interval.total_seconds())
