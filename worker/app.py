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
    """Return the app for the broker of the settings, with every task registered by name."""
    settings = Settings.load()
    transport.install()
    app = celery_app.configure(secret(settings.broker_url))
    celery_app.log_as("worker")
    app.conf.update(
        # The soft limit interrupts a task that waits for Postgres. Runs have their own limits #
        # (slowwave.jobs.heartbeat): a task starts runs for at most the soft limit of one run, then waits for the last
        # run.
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
    """End the worker if its broker may evict messages; do nothing if the broker is unreachable."""
    url = secret(Settings.load().broker_url)
    try:
        if url is not None:
            queue.refuse_evicting_broker(url)
    except Unavailable:
        return
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def load(**_: Any) -> None:
    """Load rule packs and embedder for all child processes.

    If a pack is invalid, end the worker and report every problem.
    """
    try:
        parts.load()
    except Incorrect as error:
        raise SystemExit(str(error)) from error


def bury(**_: Any) -> None:
    """Queue a task that makes dead letters from malformed messages of earlier workers; without a broker, do nothing."""
    with contextlib.suppress(Unavailable):
        queue.send(queue.BURY)


signals.worker_init.connect(refuse_what_forgets, weak=False)
signals.worker_init.connect(load, weak=False)
signals.worker_ready.connect(bury, weak=False)
app = configured()
