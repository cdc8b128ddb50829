"""The job table: name, class and permitted triggers of every job. All lists of jobs in the code are derived from this
table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ASK = "ask"
"""The job that sends the pending requests of all scopes to a model."""
DELIVER = "deliver"
"""The job that sends the deltas of all scopes to webhooks."""
CALLS = frozenset({ASK, DELIVER})
"""The jobs that wait for external servers. Wake-up messages for these jobs have their own queue."""
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
UNDO = "undo"
"""The job name of runs that undo. A person starts such runs, and the job table does not list them."""
PROMOTE = "promote"
DECAY = "decay"
SWEEP = "sweep"
ARCHIVE = "archive"
PARTITIONS = "partitions"
RECONCILE = "reconcile"
CHECK = "check"
SEAL = "seal"
REPORT = "report"

Works = Literal["window", "letters", "scope", "slice", "installation"]
"""The unit of work: a window after a watermark, retried dead letters, a scope, a slice of a tenant, or the whole
installation."""

_CLOCK = frozenset({"cron", "interval"})
_EPISODES = _CLOCK | {"idle", "session_end"}
SLICES = 16
"""The slices of a tenant, by the first hex digit of a scope's id. Workers can run a standing job on all slices in
parallel."""


@dataclass(frozen=True, slots=True)
class JobType:
    """One row of the table. *triggers* are the kinds of schedule that may make the job due.

    If *pushed* is True, every push requests the job. Otherwise, the code that finds work requests the job. *why* is the
    second half of the error message for a trigger that is not permitted.
    """

    works: Works
    triggers: frozenset[str] = _CLOCK
    pushed: bool = False
    why: str = "reads no episodes, and is due by cron or interval"


JOBS: Mapping[str, JobType] = {
    PREPARE: JobType("window", frozenset(), pushed=True, why="is due at every push"),
    CONSOLIDATE: JobType(
        "window", _EPISODES | {"count", "semantic_shift"}, True, "reads no working memory and fills no tier"
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
    SEAL: JobType("installation"),
    REPORT: JobType("installation"),
}

WINDOWED = tuple(name for name, job in JOBS.items() if job.works == "window")
"""Jobs that read a window of episodes after a watermark."""
PUSHED = tuple(name for name, job in JOBS.items() if job.pushed)
"""Windowed jobs that every push requests."""
SLICED = tuple(name for name, job in JOBS.items() if job.works == "slice")
"""Jobs that process the due memories of a tenant, one slice at a time."""
INSTALLATION = tuple(name for name, job in JOBS.items() if job.works == "installation")
"""Jobs that run one at a time for the whole installation."""
BUILT_IN = tuple(name for name in JOBS if name not in (CONSOLIDATE, PLAN, RETRY))
"""Jobs that every installation has, each under its own pack name. The work of all other jobs comes from rule packs."""
SCHEDULED = tuple(name for name, job in JOBS.items() if job.triggers)
"""Jobs that a policy may schedule."""


def pack_of(job: str) -> str:
    """Return the pack name under which a built-in job keeps its intents and watermarks.

    >>> pack_of("decay")
    '_decay'
    """
    return "_patterns" if job == DETECT_PATTERNS else f"_{job}"
