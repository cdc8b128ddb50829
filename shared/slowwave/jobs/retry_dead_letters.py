"""Process retried dead letters again. The job that owns a letter's pack processes the letter."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowwave.domain.run import Run
from slowwave.jobs.run import Job
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class Retry:
    """A `Job` that calls the job of the run's pack.

    *owners* maps a pack to its job; for other packs, *otherwise* is the job.

    The runs of this job name their episodes, and do not move the watermark.
    """

    owners: Mapping[str, Job]
    otherwise: Job

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan that the job of the run's pack makes."""
        return self._owner(run).think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the job of the run's pack works in this process."""
        return self._owner(run).witness(run)

    def _owner(self, run: Run) -> Job:
        return self.owners.get(run.pack, self.otherwise)
