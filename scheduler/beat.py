"""The beat process: `celery -A scheduler.beat:app beat -S scheduler.beat:PostgresScheduler`.

Celery provides the process, its signals and its log. Celery's own schedule is empty: schedules are rows in Postgres,
and a tick writes to Postgres before it sends messages. Any number of these processes may run.
"""

from typing import Any

from celery import Celery
from celery.beat import Scheduler

from scheduler.tick import Ticker
from slowwave import celery_app, wiring
from slowwave.broker import queue
from slowwave.wiring import Settings, secret


def configured() -> Celery:
    """Return the app for the broker of the settings."""
    settings = Settings.load()
    app = celery_app.configure(secret(settings.broker_url))
    celery_app.log_as("scheduler")
    app.conf.beat_max_loop_interval = settings.tick_seconds
    return app


class PostgresScheduler(Scheduler):  # type: ignore[misc]  # Celery has no types
    """A Celery beat scheduler whose tick is `Ticker.tick`."""

    _ticker: Ticker | None = None

    def setup_schedule(self) -> None:
        """Load the settings; the first tick connects. Raises `Incorrect` for invalid settings."""
        parts = wiring.connect(Settings.load())
        ring = queue.notify_workers if parts.broker_url else None
        self._ticker = Ticker(parts, by=wiring.owner_name("scheduler"), ring=ring)

    def tick(self, *_args: Any, **_kwargs: Any) -> float:
        """Run one tick; return the number of seconds until the next tick."""
        assert self._ticker is not None
        return self._ticker.tick()

    def close(self) -> None:
        """Close the connections of the scheduler."""
        if self._ticker is not None:
            self._ticker.close()
            self._ticker = None


app = configured()
