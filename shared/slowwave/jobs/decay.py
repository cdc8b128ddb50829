"""Decay: refreshes a memory when its strength may have fallen below `forget_below`, and withdraws faded facts.

Strength is computed in closed form, so it does not matter how often or how late the job runs. Faded facts are withdrawn
scope by scope; a scope whose lease a worker holds is left for the next run.
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
"""The cursor in the list of due memories: due time, scope, id."""


@dataclass(frozen=True, slots=True)
class Faded:
    """The result of one batch: how many memories it *looked* at and *refreshed*, and facts to withdraw (*forgotten*).

    *fell* counts other memories that fell below `forget_below`. *last* is the cursor at the batch's end, None after the
    last batch.
    """

    looked: int
    refreshed: int
    fell: int
    forgotten: Sequence[tuple[uuid.UUID, uuid.UUID]]
    last: Cursor | None


class DecayStore(Protocol):
    """The strengths of memories in the database. Every method is one transaction guarded by the run's lease."""

    def now(self, run: Run) -> datetime:
        """Return the time that the whole run uses as now."""

    def refresh(self, run: Run, after: Cursor | None, *, now: datetime) -> Faded:
        """Refresh the due times of the next memories that are due at *now*."""

    def forget(self, run: Run, scope: uuid.UUID, facts: Sequence[uuid.UUID], *, now: datetime) -> int | None:
        """Withdraw those of *facts* that are below `forget_below`; return how many, None if *scope* is leased."""


@dataclass(frozen=True, slots=True)
class Decay:
    """A `Job` that refreshes decay in a slice of a tenant. Safe to repeat and kill: finished work is not due again."""

    strengths: DecayStore

    def think(self, run: Run, store: RunStore) -> Plan:  # noqa: ARG002  # the port is enough
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
