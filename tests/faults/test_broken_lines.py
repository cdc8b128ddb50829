"""A broken connection to Redis, and the same keys pushed by library and broker at once: each is stored once."""

from pathlib import Path

import pytest

from slowwave.client import QueueClient
from slowwave.domain.scope import Scope
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import running, until
from tests.faults.rig.proxy import MODES, before
from tests.faults.rig.stage import SetUp, Stage, playing, polling, restarting, ringing

pytestmark = pytest.mark.accept

HEALED = "runs WHERE owner LIKE 'polling%' AND outcome = 'ok'"
HEARD = "runs WHERE owner LIKE 'celery%' AND outcome = 'ok'"


def test_a_broken_connection_to_redis_loses_no_work(set_up: SetUp, ground: Ground) -> None:
    with (
        before(ground.redis.socket) as proxy,
        set_up(broker_url=proxy.url) as stage,
        playing(stage, pace=0.1),
        restarting(stage.worker),
    ):
        with polling(stage, overdue_seconds=1):
            stage.under_way()
            assert stage.count(HEARD), "nothing comes through the sound line"
            proxy.reset()
            stage.goes_on()
            for mode in MODES:
                proxy.fail(mode)
                stage.goes_on(f": the line is {mode}")
            healed = stage.count(HEALED)
            until(lambda: stage.count(HEALED) > healed, "polling heals while the line is half-open")
            proxy.fail("sound")
            stage.prove()
            assert proxy.broken >= len(MODES), "nobody was on a line that broke"

        heard = stage.count(HEARD)
        stage.parts.push(Scope("default", "late", "concierge"), ["I live in Oslo"])
        stage.until(lambda: stage.count(HEARD) > heard, "the worker hears its bell again")


KILLS = 2


def test_keys_pushed_by_library_and_broker_are_stored_once_while_workers_are_killed(
    set_up: SetUp, ground: Ground, told: Corpus, tmp_path: Path
) -> None:
    with (
        set_up(worker_processes=2) as stage,
        running(stage.worker),
        restarting(stage.worker),
        ringing(stage),
        QueueClient(ground.redis.broker_url, outbox=tmp_path / "outbox", resend_seconds=1) as client,
    ):
        stage.ready()
        batches = list(told.batches(4))
        harm = {len(batches) * (n + 1) // (KILLS + 1): n for n in range(KILLS)}
        for number, (scope, episodes) in enumerate(batches):
            assert {receipt.state for receipt in client.push_many(scope, episodes)} == {"queued"}
            stage.log.write(stage.parts.push(scope, episodes))
            if number in harm:
                break_one(stage, alone=harm[number] % 2 == 0)

        client.flush(60, confirmed=True)
        assert client.outbox.refused() == []
        stage.prove()


def break_one(stage: Stage, *, alone: bool) -> None:
    """Kill a busy child of the worker, or the worker itself while it holds messages."""
    if alone:
        until(stage.worker.children, "the worker has children")[-1].kill()
    else:
        stage.worker.kill()
