"""Process retried dead letters again: each by the job that owns its pack."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowwave.domain.run import Run
from slowwave.jobs.run import Job
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns


@dataclass(frozen=True, slots=True)
class Retry:
    """A `Job` that runs the job of the run's pack again: the job in *owners*, or *otherwise* for any other pack.

    Its runs name their episodes, and move no watermark.
    """

    owners: Mapping[str, Job]
    otherwise: Job

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan of the job that owns the run's pack."""
        return self._owner(run).think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the job that owns the run's pack can do such work here."""
        return self._owner(run).witness(run)

    def _owner(self, run: Run) -> Job:
        return self.owners.get(run.pack, self.otherwise)
