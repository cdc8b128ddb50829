"""The naive control: the same work with plain Celery and every reliable setting on, but without a row to prove it.

A message is the work here, and its effect is a number that grows. The harness kills this beside Slowwave and must see
it lose or double something; a harness that does not would see nothing of Slowwave's losses either.

    celery -A ops.soak.control worker          python -m ops.soak.control LOG COUNT
"""

import os
import sys
import time
from pathlib import Path

import psycopg
from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

THINKING_SECONDS = 0.15
A_SECOND = 20
"""Messages per second, somewhat more than two children process, so that each fault meets a backlog."""
TABLE = "CREATE TABLE IF NOT EXISTS effects (key text PRIMARY KEY, times int NOT NULL)"
COUNT = "INSERT INTO effects AS e VALUES (%s, 1) ON CONFLICT (key) DO UPDATE SET times = e.times + 1"

app = Celery("control", broker=os.environ.get("CONTROL_BROKER"))
app.conf.update(
    task_default_queue="control",
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_publish_retry=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"visibility_timeout": 15, "unacked_restore_interval": 5, "socket_timeout": 3},
)


@app.task(name="control.learn", autoretry_for=(psycopg.Error,), max_retries=None, default_retry_delay=1)  # type: ignore[untyped-decorator]
def learn(key: str) -> None:
    """Think, then count *key* once."""
    time.sleep(THINKING_SECONDS)
    with psycopg.connect(os.environ["CONTROL_URL"], autocommit=True, connect_timeout=3) as connection:
        connection.execute(COUNT, [key])


def tell(log: Path, count: int, pace_seconds: float) -> None:
    """Send *count* messages and write down every one the broker took."""
    with log.open("ab", buffering=0) as file:
        for number in range(count):
            try:
                learn.delay(f"c{number}")
            except (OperationalError, RedisError, AttributeError):  # the last if a connection is lost midway
                continue  # not acknowledged, so it does not count as a loss
            file.write(f"c{number}\n".encode())
            time.sleep(pace_seconds)


def tally(url: str, log: Path) -> tuple[int, int, int]:
    """Return how many messages were taken, how many of them had no effect, and how many had it more than once."""
    taken = set(log.read_text().split())
    with psycopg.connect(url) as connection:
        effects: dict[str, int] = dict(connection.execute("SELECT key, times FROM effects").fetchall())
    lost = sum(1 for key in taken if key not in effects)
    return len(taken), lost, sum(1 for times in effects.values() if times > 1)


if __name__ == "__main__":
    tell(Path(sys.argv[1]), int(sys.argv[2]), 1 / A_SECOND)
