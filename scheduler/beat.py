"""The beat process: `celery -A scheduler.beat:app beat -S scheduler.beat:PostgresScheduler`.

Celery provides the process, its signals and its log. Celery's own schedule is empty: schedules are rows in Postgres,
and a tick writes to Postgres before it sends messages. Any number of these processes may run.
"""

from functools import partial
from typing import Any

from celery import Celery
from celery.beat import Scheduler

from scheduler.tick import Ticker
from slowwave import celery_app, wiring
from slowwave.broker import queue
from slowwave.runtime import clock
from slowwave.wiring import Settings, secret


def configured() -> Celery:
    """Return the app for the broker of the settings."""
    settings = Settings.load()
    app = celery_app.configure(secret(settings.broker_url))
    celery_app.log_as("scheduler")
    app.conf.beat_max_loop_interval = settings.tick_seconds
    return app


class EveryTick:
    """The tickers of all cells, each made when its cell is first seen; without cells, one ticker."""

    def __init__(self, parts: wiring.Parts) -> None:
        self.parts = parts
        self._tickers: dict[str, Ticker] = {}
        self._due: dict[str, float] = {}

    def tick(self) -> float:
        """Run the ticks that are due; return the number of seconds until the next one."""
        for name, cell in self.parts.each_cell().items():
            if name not in self._tickers:
                ring = partial(queue.notify_workers, cell=name) if cell.broker_url else None
                self._tickers[name] = Ticker(cell, by=wiring.owner_name("scheduler"), ring=ring)
            if self._due.get(name, 0.0) <= clock.monotonic():
                self._due[name] = self._tickers[name].tick() + clock.monotonic()
        return max(0.0, min(self._due.values()) - clock.monotonic())


class PostgresScheduler(Scheduler):  # type: ignore[misc]  # Celery has no types
    """A Celery beat scheduler whose tick is `Ticker.tick`."""

    _ticks: EveryTick | None = None

    def setup_schedule(self) -> None:
        """Load the settings; the first tick connects. Raises `Incorrect` for invalid settings."""
        self._ticks = EveryTick(wiring.connect(Settings.load()))

    def tick(self, *_args: Any, **_kwargs: Any) -> float:
        """Run one tick; return the number of seconds until the next tick."""
        assert self._ticks is not None
        return self._ticks.tick()

    def close(self) -> None:
        """Close the connections of the scheduler."""
        if self._ticks is not None:
            self._ticks.parts.close()
            self._ticks = None


app = configured()
