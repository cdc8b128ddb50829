"""The app a worker process runs: `celery -A worker.app worker`."""

import contextlib
from typing import Any

from celery import Celery, signals

from slowwave import celery_app, queue
from slowwave.errors import Incorrect, Unavailable
from slowwave.wiring import Settings, secret
from worker import parts, transport


def configured() -> Celery:
    """Return the app pointed at the broker of the settings, with every task known by name."""
    settings = Settings.load()
    transport.install()
    app = celery_app.configure(secret(settings.broker_url))
    celery_app.log_as("worker")
    app.conf.update(
        # What waits for Postgres learns that its time is up. A run has limits of its own (slowwave.jobs.time_limits): a
        # task begins runs for as long as one may think, and waits for the last.
        task_annotations={
            name: {"soft_time_limit": settings.soft_limit_seconds, "time_limit": 1.1 * settings.soft_limit_seconds}
            for name in (queue.INGEST, queue.BURY)
        },
        task_time_limit=2 * settings.hard_limit_seconds,
        worker_concurrency=settings.worker_processes,
        imports=["worker.tasks"],
    )
    return app


def refuse_what_forgets(**_: Any) -> None:
    """End a worker whose broker may throw messages away; one whose broker is away waits for it."""
    url = secret(Settings.load().broker_url)
    try:
        if url is not None:
            queue.refuse_evicting_broker(url)
    except Unavailable:
        return
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def load(**_: Any) -> None:
    """Load what the children share; end a worker whose packs are wrong, with everything that is wrong with them."""
    try:
        parts.load()
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def bury(**_: Any) -> None:
    """Have dead letters made of what an earlier worker put aside; while the broker is away, the next one is told."""
    with contextlib.suppress(Unavailable):
        queue.send(queue.BURY)


signals.worker_init.connect(refuse_what_forgets, weak=False)
signals.worker_init.connect(load, weak=False)
signals.worker_ready.connect(bury, weak=False)
app = configured()
