"""Decay: a memory is evaluated when its strength may have crossed `forget_below`; faded facts are withdrawn.

Strength is computed, so nothing depends on how often or how late this runs. What has faded too far is withdrawn, scope
by scope; a scope somebody works in is left for the next time.
"""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Protocol

from slowwave.domain.run import Run
from slowwave.ports import Plan, RunStore

Cursor = tuple[datetime, uuid.UUID, uuid.UUID]
"""Where a memory stands in the list of what is due: when, its scope, its id."""


@dataclass(frozen=True, slots=True)
class Faded:
    """The result of one batch: how many memories were *looked* at, how many had changed, which facts are to go.

    *fell* counts what has fallen and is no belief. *last* is where the batch ended, None when it was the last one.
    """

    looked: int
    refreshed: int
    fell: int
    forgotten: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None


class DecayStore(Protocol):
    """The strengths of memories as the database keeps them. Every method is one transaction behind the run's lease."""

    def now(self, run: Run) -> datetime:
        """Return the time of the whole run."""

    def refresh(self, run: Run, after: Cursor | None, *, now: datetime) -> Faded:
        """Refresh the due times of the next memories that are due at *now*."""

    def forget(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID], *, now: datetime) -> int | None:
        """Withdraw those of *facts* that are below `forget_below`; return how many, None if *scope* is leased."""


@dataclass(frozen=True, slots=True)
class Decay:
    """A `Job` that refreshes decay in a slice of a tenant. Safe to repeat and to be killed: what is done is not due."""

    strengths: DecayStore

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
        """Refresh the due times of memories and withdraw faded facts; return how many of each.

        Counts how many memories were looked at, how many had changed and how many fell; of these, how many beliefs were
        withdrawn, and of how many scopes they were left because somebody works there.
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
        """Return True: no episode is read, so none can be to blame."""
        return True
