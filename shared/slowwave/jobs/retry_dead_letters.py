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

    *owners* maps packs to jobs. *otherwise* is the job of all other packs.

    A run of this job has a list of its positions, and does not change the watermark.
    """

    owners: Mapping[str, Job]
    otherwise: Job

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan that the job of the run's pack makes."""
        return self._owner(run).think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the job of the run's pack passes its test in this process; see `Job.witness`."""
        return self._owner(run).witness(run)

    def _owner(self, run: Run) -> Job:
        return self.owners.get(run.pack, self.otherwise)
