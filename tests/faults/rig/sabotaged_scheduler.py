"""A scheduler that breaks at its tick: `celery -A tests.faults.rig.sabotaged_scheduler beat`.

It is the product's own process. Before and after the commit of a tick that fires, it looks for a file of that name in
SABOTAGE, and whoever removes the file ends itself right there.
"""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import event

from scheduler.beat import PostgresScheduler, configured
from slowwave.core.cadence import Turn
from slowwave.ports import Fired, Schedule
from slowwave.store.schedule.schedule import PostgresSchedule
from tests.faults.rig.saboteur import Sabotage

POINTS = ("before-tick-commit", "after-tick-commit")


class BreakingSchedule(PostgresSchedule):
    """The schedule on Postgres, with points to break at around the commit of a firing."""

    def __init__(self, sabotage: Sabotage, schedule: PostgresSchedule) -> None:
        self.__dict__.update(schedule.__dict__)
        self._sabotage, self._firing = sabotage, False
        event.listen(self._database._dispatch, "commit", self._before_commit)

    def fire(self, name: str, decide: Callable[[Schedule, datetime], Turn], *, by: str) -> Fired | None:
        """Fire, breaking inside the transaction or when it is over, before anybody is rung for."""

        def deciding(schedule: Schedule, now: datetime) -> Turn:
            turn = decide(schedule, now)
            self._firing = bool(turn.keys)
            return turn

        try:
            fired = super().fire(name, deciding, by=by)
        finally:
            firing, self._firing = self._firing, False
        if firing:
            self._sabotage.reach("after-tick-commit")
        return fired

    def _before_commit(self, _connection: Any) -> None:
        if self._firing:
            self._sabotage.reach("before-tick-commit")


class BreakingScheduler(PostgresScheduler):
    """The scheduler with the breaking schedule in it."""

    def setup_schedule(self) -> None:
        """Connect nothing yet, and put the sabotage in between."""
        super().setup_schedule()
        assert self._ticks is not None
        parts = self._ticks.parts
        parts.__dict__["schedule"] = BreakingSchedule(Sabotage(Path(os.environ["SABOTAGE"])), parts.schedule)


if "SABOTAGE" in os.environ:
    app = configured()
