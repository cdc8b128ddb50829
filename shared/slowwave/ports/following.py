"""Following runs: each is claimed in the transaction that settles the run before, which saves a commit."""

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from slowwave.domain.run import Run

if TYPE_CHECKING:
    from slowwave.ports import Plan


class Follows(Protocol):
    """Ends a run and claims the next run, in one transaction."""

    def settle_and_claim(
        self,
        run: Run,
        plan: "Plan",
        *,
        owner: str,
        scope: uuid.UUID | None,
        jobs: Sequence[str] | None,
        overdue_seconds: float,
        task: str = "",
    ) -> tuple[Counter[str], Run | None]:
        """Do what `settle` does; return the deltas by kind, and the next run, claimed in the same transaction.

        There is no next run if no work of the tenant is due, if another tenant may wait for its turn, or if the run
        would resume an earlier one or work in no scope: then call `claim`.
        """
