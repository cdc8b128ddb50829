"""The statements that find the due work of jobs."""

from slowwave.domain.job_table import (
    ARCHIVE,
    DECAY,
    GROW,
    INSTALLATION,
    JOBS,
    PROMOTE,
    RECONSIDER,
    REEMBED,
    RETELL,
    SWEEP,
)

DUE = {
    DECAY: "tiers/decay_due_slices",
    SWEEP: "tiers/sweep_due_slices",
    ARCHIVE: "retention/due_slices",
    PROMOTE: "promotion/due_scopes",
    **dict.fromkeys(INSTALLATION, "schedule/due_installation"),
}
"""The statement that finds scopes or slices with work, by job. For any other job, a firing makes waiting work due.

A statement acts as the role `slowwave_dispatch`, which reads all tenants, but only the columns that the schema grants
to it.
"""
_REQUESTED = frozenset({GROW, REEMBED, RETELL, RECONSIDER})
"""The jobs on a scope for which other jobs create the intents."""


def finds_work(job: str) -> bool:
    """Return True if a firing finds the work of *job*: by a statement, or as requests of pushes or other jobs."""
    return job in DUE or job in _REQUESTED or JOBS[job].works in ("window", "letters")
