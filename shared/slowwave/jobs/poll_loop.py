"""The poll loop of a worker without Celery: tick, do due work, wait; until it is stopped or no work is left."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from slowwave.domain.run import Report
from slowwave.errors import Conflict, Unavailable
from slowwave.runtime import clock
from slowwave.threads import Pause

LONGEST_WAIT_SECONDS = 30.0
"""The longest pause of a worker before it tries again to reach an unreachable database."""


class Worker(Protocol):
    """The steps of a poll loop. Every method raises `Unavailable` when the database is unreachable."""

    def tick(self) -> object:
        """Fire the schedules that are due."""

    def work(self) -> Report | None:
        """Do the next due run, if there is one."""

    def due(self) -> bool:
        """Return whether any work is due or running."""


def poll(
    worker: Worker,
    *,
    stop: threading.Event,
    poll_seconds: float,
    tick_seconds: float,
    until_idle: bool = False,
    say: Callable[[str], None],
) -> Counter[str]:
    """Work until *stop* is set, or with *until_idle* until nothing is due; return how many runs had which outcome.

    The loop polls every *poll_seconds* while nothing is due, and ticks every *tick_seconds*. It calls *say* once when
    the database is unreachable, and once when it is back; meanwhile the pauses grow.
    """
    outcomes: Counter[str] = Counter()
    next_tick, away = clock.monotonic(), False
    pause = Pause(poll_seconds, LONGEST_WAIT_SECONDS)
    while not stop.is_set():
        try:
            if clock.monotonic() >= next_tick:
                worker.tick()
                next_tick = clock.monotonic() + tick_seconds
            report = worker.work()
            idle = until_idle and report is None and not worker.due()
        except (Unavailable, Conflict) as error:
            if not away:
                say(f"waiting: {error.message}")
            away = True
            stop.wait(pause.seconds)
            pause.double()
            continue
        if away:
            say("the database is back")
            away = False
            pause.reset()
        if idle:
            break
        if report is None:
            stop.wait(poll_seconds)
        else:
            outcomes[report.outcome] += 1
    return outcomes
