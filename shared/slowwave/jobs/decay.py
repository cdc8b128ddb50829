"""Decay: a job that recomputes strengths when they may have fallen below `forget_below`, and withdraws faded facts.

Strength is computed in closed form, so the result does not depend on how often or how late the job runs. Faded facts
are withdrawn scope by scope. If a worker holds the lease of a scope, the next run withdraws the faded facts of that
scope.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from slowwave.domain.run import Run
from slowwave.jobs.run import JobWithoutCases
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.tiers.decay import PostgresDecay


@dataclass(frozen=True, slots=True)
class Decay(JobWithoutCases):
    """A `Job` for the decay in one slice (a sixteenth of a tenant's scopes).

    The job can be repeated and killed, because finished work is not due again.
    """

    strengths: PostgresDecay

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Recompute the due times of memories and withdraw faded facts; return the counts.

        The counts are: checked memories, memories with a new due time, memories whose strength fell too low, withdrawn
        beliefs, and scopes that were left out because a worker holds their lease.
        """
        now, after, counts = self.strengths.now(run), None, Counter[str]()
        while True:
            faded = self.strengths.refresh(run, after, now=now)
            counts += Counter(looked=faded.looked, refreshed=faded.refreshed, fell=faded.fell)
            for scope, facts in groupby(faded.forgotten, key=lambda pair: pair[0]):
                fell = self.strengths.forget(run, scope, [fact for _, fact in facts], now=now)
                counts += Counter(fell=fell or 0, withdrawn=fell or 0, left=fell is None)
            after = faded.last
            if after is None:
                return Plan(counts=counts)
