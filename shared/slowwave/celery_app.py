"""The configured Celery app of workers and schedulers. `slowwave.broker.queue` sends messages to this app."""

import logging
from typing import Any

from slowwave.broker import queue
from slowwave.runtime.extras import needed
from slowwave.threads import start_quickly

with needed():
    from celery import Celery, signals

    from slowwave.telemetry import logs

app = Celery("slowwave")
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    event_serializer="json",
    task_ignore_result=True,
    result_backend=None,
    task_default_queue=queue.QUEUE,
    task_queues={queue.QUEUE: {}, queue.ASK_QUEUE: {}},
    task_create_missing_queues=False,
    task_acks_late=False,
    task_acks_on_failure_or_timeout=True,
    task_store_errors_even_if_ignored=False,
    task_time_limit=660,
    task_track_started=True,
    worker_send_task_events=True,
    worker_direct=True,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=10_000,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_soft_shutdown_timeout=10.0,
    worker_enable_soft_shutdown_on_idle=False,
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_connection_timeout=2,
    broker_transport_options={
        "socket_timeout": 3,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 5,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "visibility_timeout": 3600,
    },
    enable_utc=True,
    timezone="UTC",
)


def configure(broker_url: str | None) -> Celery:
    """Set *broker_url* for the app and for notifications of this process.

    With None, no message is sent, and workers poll.
    """
    start_quickly()
    queue.configure(broker_url)
    app.conf.broker_url = broker_url
    return app


def log_as(process: str) -> None:
    """Make a Celery process log as `slowwave.telemetry.logs` defines; the change affects the whole process."""

    def take_over(loglevel: int | str, **_: Any) -> None:
        logs.configure(loglevel if isinstance(loglevel, str) else logging.getLevelName(loglevel), process=process)

    signals.setup_logging.connect(take_over, weak=False)
