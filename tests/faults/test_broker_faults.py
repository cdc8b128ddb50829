"""A Redis that dies, comes back empty, is flushed, delivers twice, or is absent: the work goes on."""

import json
import uuid
from pathlib import Path

import pytest
from redis.exceptions import ConnectionError as RedisGone

from slowwave.broker import queue
from slowwave.cli.doctor.services import broker
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import Process, python, running, until
from tests.faults.rig.pusher import telling
from tests.faults.rig.stage import playing, polling, restarting, set_up
from tests.faults.rig.tumult import evicting
from tests.faults.rig.verdict import Outcome


@pytest.mark.accept
def test_a_killed_and_emptied_redis_loses_no_work(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        set_up(ground, database, tmp_path) as stage,
        playing(stage, told, pace=0.1),
        restarting(stage.worker),
        polling(stage),
    ):
        stage.under_way()
        ground.redis.kill()
        with pytest.raises(RedisGone):
            ground.broker().ping()  # the server in use was killed
        before = len(stage.log.acknowledged())
        until(lambda: len(stage.log.acknowledged()) > before + 8, "pushes go on without Redis", seconds=10)

        ground.redis.start()
        assert ground.broker().dbsize() < 10  # the server came back empty
        before = stage.count("runs")
        until(lambda: stage.count("runs") > before, "work goes on with the new Redis", otherwise=stage.worker.said)
        ground.broker().flushall()

        stage.prove(told, expected)


@pytest.mark.accept
def test_an_evicting_redis_loses_messages_but_no_work_and_doctor_reports_it(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        set_up(ground, database, tmp_path) as stage,
        playing(stage, told, pace=0.1),
        restarting(stage.worker),
        polling(stage, overdue_seconds=1),
        evicting(ground.broker()) as pressure,
    ):
        stage.under_way()
        pushed, done = len(stage.log.acknowledged()), stage.count("runs WHERE outcome = 'ok'")
        until(pressure.costs_others, "keys of ours are evicted", look=0.01)
        (line,) = broker(ground.redis.broker_url)
        assert not line.good
        assert "noeviction" in f"{line}"
        until(lambda: len(stage.log.acknowledged()) > pushed + 8, "pushes go on", seconds=20)
        until(lambda: stage.count("runs WHERE outcome = 'ok'") > done, "work goes on", otherwise=stage.worker.said)

        stage.prove(told, expected)


@pytest.mark.accept
def test_polling_works_without_redis_from_the_start(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    nowhere = f"redis+socket://{tmp_path}/nowhere.sock?virtual_host=0"
    with set_up(ground, database, tmp_path, broker_url=nowhere) as stage:
        worker = Process(python("slowwave.cli", "work"), stage.worker.env, tmp_path / "work.log")
        with running(worker), telling(stage.parts, told, stage.log):
            until(lambda: stage.log.acknowledged(), "the first push is acknowledged", seconds=5)
            stage.prove(told, expected)
            assert worker.running, worker.said()


@pytest.mark.accept
def test_messages_delivered_three_times_and_forged_ones_do_no_harm(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path, worker_processes=3) as stage, playing(stage, told, times=3):
        stage.under_way()
        for number in range(100):
            queue.notify_workers(uuid.uuid4(), ("consolidate", "prepare", "retry", "nothing_of_ours")[number % 4])
        queue.send("slowwave.consolidate", ["no id at all"])
        queue.send("slowwave.consolidate", [])

        stage.prove(told, expected)
        assert stage.worker.running, stage.worker.said()


@pytest.mark.accept
def test_garbage_in_the_broker_does_no_harm(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with set_up(ground, database, tmp_path) as stage, playing(stage, told), restarting(stage.worker), polling(stage):
        stage.under_way()
        for poison in (b"\x00not json", json.dumps([1, 2, 3]).encode(), b"{}"):
            ground.broker().lpush(queue.QUEUE, poison)

        stage.prove(told, expected)
        until(lambda: _malformed(ground, database) == 3, "what was no message is a dead letter, each")


def _malformed(ground: Ground, database: str) -> int:
    with ground.superuser(database) as connection:
        found = connection.execute("SELECT count(*) FROM dead_letters WHERE scope IS NULL").fetchone()
    assert found is not None
    return int(found[0])
