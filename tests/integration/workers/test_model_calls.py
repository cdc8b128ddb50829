"""A real Celery worker calls a model, with the task `slowwave.ask` from its own queue."""

import contextlib
import json
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.broker import queue
from slowwave.cli.supervisor import Night
from slowwave.domain.job_table import ASK, CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.embedded_services import RedisServer
from slowwave.memory import MemoryScope, due_work
from slowwave.settings import Settings
from tests.faults.rig.processes import Process, celery, plain_environment, running, until
from tests.faults.rig.provider import answering
from tests.unit.model_packs.talks import claim

HOME = json.dumps({"claims": [claim(1, "lives_in", "Oslo", "moved to Oslo")]})


@pytest.mark.accept
def test_a_worker_of_the_model_queue_sends_the_pending_requests(
    mortal_redis: RedisServer, url: str, scope: Scope, superuser: psycopg.Connection, tmp_path: Path
) -> None:
    with answering(replies=lambda _: HOME) as provider:
        model = {"model": "echo", "model_url": provider.url}
        parts = wiring.connect(
            Settings.load(url=url, home=tmp_path, broker_url=mortal_redis.broker_url, statements=False, **model)
        )
        vars(parts).update(packs=[])  # the rules must not extract the same
        wiring.register(parts)
        alice = MemoryScope(parts, scope)
        alice.push("I moved to Oslo, and love it", session="s1")
        due_work.fire(parts, scope.id)
        while due_work.run_next(parts, owner="test", scope=scope.id):  # it plans without a call
            pass
        assert (due_work.count_pending_requests(parts, scope.id), provider.met) == (1, [])

        variables = {f"SLOWWAVE_{name.upper()}": value for name, value in model.items()}
        env = plain_environment(SLOWWAVE_URL=url, SLOWWAVE_BROKER_URL=mortal_redis.broker_url, **variables)
        command = [*celery("worker.app", processes=1), "-Q", queue.ASK_QUEUE]
        worker = Process(command, env, tmp_path / "worker.log")
        with running(worker):
            queue.notify_workers(scope.id, ASK)
            until(lambda: due_work.count_pending_requests(parts, scope.id) == 0, "it was asked", otherwise=worker.said)

        while due_work.run_next(parts, owner="test", scope=scope.id):
            pass
        homes = [(fact.object, fact.rule.partition("@")[0]) for fact in alice.facts() if fact.predicate == "lives_in"]
        calls = superuser.execute("SELECT owner, outcome FROM model_calls").fetchall()
        parts.close()

    assert provider.billed.total() == 1
    assert homes == [("Oslo", "reader/model")]
    assert [(owner.partition("-")[0], outcome) for owner, outcome in calls] == [("celery", "ok")]


def test_queued_announcements_of_model_calls_are_limited(mortal_redis: RedisServer, scope: Scope) -> None:
    queue.configure(mortal_redis.broker_url)
    for _ in range(queue.MOST_CALLS + 20):
        queue.notify_workers(scope.id, ASK)

    assert queue.depth(queue.ASK_QUEUE) == queue.MOST_CALLS
    queue.notify_workers(scope.id, CONSOLIDATE)
    assert queue.depth() == 1


@pytest.mark.accept
def test_the_worker_of_the_containers_asks_with_its_poller(
    settings: Settings, open_folder: Path, scope: Scope, superuser: psycopg.Connection
) -> None:
    with answering(replies=lambda _: HOME) as provider:
        told = {
            "home": open_folder / "asking",
            "model": "echo",
            "model_url": provider.url,
            "poll_seconds": 0.1,
            "worker_processes": 1,
        }
        with (
            Night.up(settings.model_copy(update=told), only=["worker", "poller"]) as night,
            contextlib.closing(night.connect()) as parts,
        ):
            alice = MemoryScope(parts, scope)
            alice.push("I moved to Oslo, and love it", session="s1")
            alice.end_session("s1")
            until(lambda: [fact for fact in alice.facts() if "model" in fact.rule], "the model's claim is believed")

    calls = superuser.execute("SELECT owner, outcome FROM model_calls").fetchall()
    assert [(owner.partition("@")[0].rstrip("0123456789"), outcome) for owner, outcome in calls] == [("ask", "ok")]
