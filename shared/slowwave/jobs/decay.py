"""Decay: refreshes a memory when its strength may have fallen below `forget_below`, and withdraws faded facts.

Strength is computed in closed form, so it does not matter how often or how late the job runs. Faded facts are withdrawn
scope by scope; a scope whose lease a worker holds is left for the next run.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

from slowwave.domain.run import Run
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns
from slowwave.store.tiers.decay import PostgresDecay


@dataclass(frozen=True, slots=True)
class Decay:
    """A `Job` that refreshes decay in a slice of a tenant. Safe to repeat and kill: finished work is not due again."""

    strengths: PostgresDecay

    def think(self, run: Run, store: PostgresRuns) -> Plan:  # noqa: ARG002  # its own store is enough
        """Refresh the due times of memories and withdraw faded facts; return how many of each.

        The counts are: memories looked at, changed and fallen; beliefs withdrawn; and scopes left out because a worker
        holds their lease.
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

    def witness(self, run: Run) -> bool:  # noqa: ARG002  # a job answers for every run alike
        """Return True: decay reads no episode, so none can be to blame."""
        return True
