"""The app a worker process runs: `celery -A worker.app worker`."""

import contextlib
from typing import Any

from celery import Celery, signals

from slowwave import celery_app
from slowwave.broker import queue
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
        # The soft limit interrupts a task that waits for Postgres. Runs have limits of their own
        # (slowwave.jobs.time_limits): a task starts runs for at most the soft limit of one run, and then waits for the
        # last of them.
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
    """End the worker if its broker may evict messages; if the broker is unreachable, let the worker wait for it."""
    url = secret(Settings.load().broker_url)
    try:
        if url is not None:
            queue.refuse_evicting_broker(url)
    except Unavailable:
        return
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def load(**_: Any) -> None:
    """Load what the child processes share; if a rule pack is wrong, end the worker and list every problem."""
    try:
        parts.load()
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def bury(**_: Any) -> None:
    """Queue a task that makes dead letters of earlier workers' malformed messages; skip it without a broker."""
    with contextlib.suppress(Unavailable):
        queue.send(queue.BURY)


signals.worker_init.connect(refuse_what_forgets, weak=False)
signals.worker_init.connect(load, weak=False)
signals.worker_ready.connect(bury, weak=False)
app = configured()
