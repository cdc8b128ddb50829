"""Flower behind its password: what it saw of tasks outlives its process."""

import base64
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celery import Celery

from slowwave.cli.supervisor.programs import flower
from slowwave.embedded_services.redis import RedisServer
from slowwave.wiring import Settings
from tests.faults.rig import processes
from tests.faults.rig.processes import Process, free_port, python, until

pytestmark = [pytest.mark.accept, pytest.mark.timeout(240)]
TASK = "5f2c0000-0000-4000-8000-000000000001"


@contextmanager
def running(settings: Settings, broker: str) -> Iterator[str]:
    """Give the address of a Flower, password included, that runs as `slowwave up` would run it."""
    page = flower(settings, pytest.fail)
    assert page is not None
    env = {**os.environ, **page.environment, "SLOWWAVE_BROKER_URL": broker}
    program = Process(python("celery", "-A", "worker.app", "flower"), env, settings.home / "flower.log")
    with processes.running(program):
        until(lambda: answered(page.url) is not None, "Flower answers", otherwise=program.said)
        yield page.url
        program.ask(signal.SIGTERM)  # it stores its tasks as it ends
        until(lambda: not program.running, "Flower ends")


def answered(url: str, *, known: bool = True) -> str | None:
    """Return what Flower knows of tasks, or the number with which it refuses; None where nobody listens."""
    credentials, _, host = url.removeprefix("http://").rpartition("@")
    headers = {"Authorization": "Basic " + base64.b64encode(credentials.encode()).decode()} if known else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://{host}/api/tasks", headers=headers)) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return str(error.code)
    except OSError:
        return None


def test_flower_keeps_its_tasks_across_a_restart_and_shows_them_with_the_password(
    cache_server: RedisServer, cache_url: str, tmp_path: Path
) -> None:
    assert cache_url
    settings, broker = Settings.load(home=tmp_path, flower_port=free_port()), cache_server.broker_url
    with running(settings, broker) as url:
        assert answered(url, known=False) == "401"

        def seen() -> bool:
            with Celery(broker=broker).events.default_dispatcher(hostname="celery@test") as dispatcher:
                dispatcher.send("task-received", uuid=TASK, name="slowwave.decay", args="[]", kwargs="{}", retries=0)
            return TASK in (answered(url) or "")

        until(seen, "Flower sees a task")
    with running(settings, broker) as url:
        assert TASK in (answered(url) or "")
