"""A Redis that dies, comes back empty, is flushed, delivers twice, or is absent: the work goes on."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisGone

from slowwave.broker import queue
from slowwave.cli.doctor.services import broker
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import Process, python, running, until
from tests.faults.rig.stage import SetUp, playing, polling, restarting
from tests.faults.rig.tumult import evicting

JOBS = ("consolidate", "prepare", "retry", "nothing_of_ours")
FORGED: list[list[Any]] = [[f"{uuid.UUID(int=0)}"], [f"{uuid.uuid4()}"], ["no scope"], [7], [None], [{"a": 1}], []]


@pytest.mark.accept
def test_a_killed_and_emptied_redis_loses_no_work(set_up: SetUp, ground: Ground) -> None:
    with set_up() as stage, playing(stage, pace=0.1), restarting(stage.worker), polling(stage):
        stage.under_way()
        ground.redis.kill()
        with pytest.raises(RedisGone):
            ground.broker().ping()  # the server in use was killed
        before = stage.pushed()
        until(lambda: stage.pushed() > before + 8, "pushes go on without Redis", seconds=10)

        ground.redis.start()
        assert ground.broker().dbsize() < 10  # the server came back empty
        before = stage.count("runs")
        stage.until(lambda: stage.count("runs") > before, "work goes on with the new Redis")
        ground.broker().flushall()

        stage.prove()


@pytest.mark.accept
def test_an_evicting_redis_loses_messages_but_no_work_and_doctor_reports_it(set_up: SetUp, ground: Ground) -> None:
    with (
        set_up() as stage,
        playing(stage, pace=0.1),
        restarting(stage.worker),
        polling(stage, overdue_seconds=1),
        evicting(ground.broker()) as pressure,
    ):
        stage.under_way()
        until(pressure.costs_others, "keys of ours are evicted", look=0.01)
        (line,) = broker(ground.redis.broker_url)
        assert not line.good
        assert "noeviction" in f"{line}"
        stage.goes_on(episodes=8)

        stage.prove()


@pytest.mark.accept
def test_polling_works_without_redis_from_the_start(set_up: SetUp, tmp_path: Path) -> None:
    nowhere = f"redis+socket://{tmp_path}/nowhere.sock?virtual_host=0"
    with set_up(broker_url=nowhere) as stage:
        worker = Process(python("slowwave.cli", "work"), stage.worker.env, tmp_path / "work.log")
        with running(worker), stage.pushing():
            until(lambda: stage.log.acknowledged(), "the first push is acknowledged")
            stage.prove()
            assert worker.running, worker.said()


@pytest.mark.accept
def test_messages_delivered_three_times_and_forged_ones_do_no_harm(set_up: SetUp) -> None:
    with set_up(worker_processes=3) as stage, playing(stage, times=3):
        stage.under_way()
        for number in range(1000):
            queue.send(f"slowwave.{JOBS[number % len(JOBS)]}", FORGED[number % len(FORGED)])

        stage.prove_with_worker()
