"""The poll loop of a worker without Celery: tick, do what is due, wait; until told to stop or nothing is left."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from slowwave import clock
from slowwave.domain.run import Report
from slowwave.errors import Conflict, Unavailable
from slowwave.threads import Pause

LONGEST_WAIT_SECONDS = 30.0
"""How long a worker waits at the most before it looks again for a database that is away."""


class Worker(Protocol):
    """The turns of a poll loop. Every method raises `Unavailable` when the database is away."""

    def tick(self) -> object:
        """Fire what is due by the clock."""

    def work(self) -> Report | None:
        """Do the next run that is due, if there is one."""

    def due(self) -> bool:
        """Return whether any work is due or under way."""


def poll(
    worker: Worker,
    *,
    stop: threading.Event,
    poll_seconds: float,
    tick_seconds: float,
    until_idle: bool = False,
    say: Callable[[str], None],
) -> Counter[str]:
    """Work until *stop* is set, or with *until_idle* until nothing is due; return how many runs ended in which way.

    Looks every *poll_seconds* once nothing is due, and ticks every *tick_seconds*. A database that is away is told to
    *say* once, and once more when it is back; meanwhile the loop looks for it less and less often.
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
            say("back at work")
            away = False
            pause.reset()
        if idle:
            break
        if report is None:
            stop.wait(poll_seconds)
        else:
            outcomes[report.outcome] += 1
    return outcomes
