"""The job table: name, class and fitting triggers of every job. Each list of jobs is read from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ASK = "ask"
"""No job of a scope: what takes pending requests to a model, for anybody."""
DELIVER = "deliver"
"""No job of a scope either: what sends deltas to webhooks."""
CALLS = frozenset({ASK, DELIVER})
"""What waits for others' servers: bells for these have a queue of their own."""
PREPARE = "prepare"
CONSOLIDATE = "consolidate"
PLAN = "plan"
DETECT_PATTERNS = "detect_patterns"
SUMMARISE = "summarise"
GROW = "grow"
REEMBED = "reembed"
RETELL = "retell"
RECONSIDER = "reconsider"
RETRY = "retry"
PROMOTE = "promote"
DECAY = "decay"
SWEEP = "sweep"
ARCHIVE = "archive"
PARTITIONS = "partitions"
RECONCILE = "reconcile"
CHECK = "check"
REPORT = "report"

Works = Literal["window", "letters", "scope", "slice", "installation"]
"""A window of episodes after a watermark, dead letters, one scope, a slice of a tenant, or everything at once."""

_CLOCK = frozenset({"cron", "interval"})
_EPISODES = _CLOCK | {"idle", "session_end"}


@dataclass(frozen=True, slots=True)
class JobType:
    """One row of the table. *triggers* are the kinds of schedule by which the job may come due.

    *pushed* says that every push asks for the job; for the others asks whoever sees that there is something to do.
    *why* completes the sentence that refuses any other trigger.
    """

    works: Works
    triggers: frozenset[str] = _CLOCK
    pushed: bool = False
    why: str = "reads no episodes, and is due by cron or interval"


JOBS: Mapping[str, JobType] = {
    PREPARE: JobType("window", frozenset(), pushed=True, why="is due at every push"),
    CONSOLIDATE: JobType(
        "window", _EPISODES | {"count", "semantic_shift"}, True, "reads no working memory and fills no rung"
    ),
    PLAN: JobType("window", frozenset(), pushed=True, why="is due when its pack is"),
    DETECT_PATTERNS: JobType("window", _EPISODES, why="is due by cron, interval, idle or session_end"),
    SUMMARISE: JobType(
        "window", _EPISODES | {"token_pressure"}, why="is due by cron, interval, idle, session_end or token_pressure"
    ),
    GROW: JobType("scope"),
    REEMBED: JobType("scope"),
    RETELL: JobType("scope"),
    RECONSIDER: JobType("scope"),
    RETRY: JobType("letters", frozenset(), why="is due when somebody retries a dead letter"),
    PROMOTE: JobType("scope"),
    DECAY: JobType("slice"),
    SWEEP: JobType("slice", _CLOCK | {"capacity"}, why="is due by cron, interval or capacity"),
    ARCHIVE: JobType("slice"),
    PARTITIONS: JobType("installation"),
    RECONCILE: JobType("installation"),
    CHECK: JobType("installation"),
    REPORT: JobType("installation"),
}

WINDOWED = tuple(name for name, job in JOBS.items() if job.works == "window")
"""Jobs that read episodes, a window after a watermark."""
PUSHED = tuple(name for name, job in JOBS.items() if job.pushed)
"""Of these, what every push asks for."""
STANDING = tuple(name for name, job in JOBS.items() if job.works == "slice")
"""Jobs that work through what is due of a tenant, a slice at a time."""
INSTALLATION = tuple(name for name, job in JOBS.items() if job.works == "installation")
"""Jobs of which one run at a time is enough for everybody."""
BUILT_IN = tuple(name for name in JOBS if name not in (CONSOLIDATE, PLAN, RETRY))
"""Jobs that every installation has under a pack of its own; rule packs bring the others' work."""
SCHEDULED = tuple(name for name, job in JOBS.items() if job.triggers)
"""Jobs that a policy may give triggers."""
SLICES = 16
"""Slices of a tenant, by the first digit of the scope: as many workers may do a standing job of it side by side."""


def pack_of(job: str) -> str:
    """Return the pack name under which a built-in job keeps its intents and watermarks.

    >>> pack_of("decay")
    '_decay'
    """
    return "_patterns" if job == DETECT_PATTERNS else f"_{job}"
