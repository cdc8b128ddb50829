"""The same keys pushed by the library and through the broker at once, while workers are killed: one row each."""

from pathlib import Path

import pytest

from slowwave.client import QueueClient
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import running
from tests.faults.rig.stage import Stage, restarting, ringing, set_up
from tests.faults.rig.verdict import Outcome
from tests.faults.rig.waiting import until

pytestmark = pytest.mark.accept

KILLS = 2


def test_keys_pushed_by_library_and_broker_are_stored_once_while_workers_are_killed(
    ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path
) -> None:
    with (
        set_up(ground, database, tmp_path, worker_processes=2) as stage,
        running(stage.worker),
        restarting(stage.worker),
        ringing(stage),
        QueueClient(ground.redis.broker_url, outbox=tmp_path / "outbox", resend_seconds=1) as client,
    ):
        until(lambda: "ready" in stage.worker.said(), "the worker is ready", otherwise=stage.worker.said)
        batches = list(told.batches(4))
        harm = {len(batches) * (n + 1) // (KILLS + 1): n for n in range(KILLS)}
        for number, (scope, episodes) in enumerate(batches):
            assert {receipt.state for receipt in client.push_many(scope, episodes)} == {"queued"}
            stage.log.write(stage.parts.push(scope, episodes))
            if number in harm:
                break_one(stage, alone=harm[number] % 2 == 0)

        client.flush(60, confirmed=True)
        assert client.outbox.refused() == []
        stage.prove(told, expected)


def break_one(stage: Stage, *, alone: bool) -> None:
    """Kill a child of the worker that is at work, or the worker itself with messages in its hands."""
    if alone:
        until(stage.worker.children, "the worker has children")[-1].kill()
    else:
        stage.worker.kill()
