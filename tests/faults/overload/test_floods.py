"""A tenant that pushes more than anybody can work off: the few episodes of another are learned at once all the same."""

from pathlib import Path

import pytest

from slowwave.broker import queue
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import running
from tests.faults.rig.stage import Stage, set_up
from tests.faults.rig.waiting import until

SCOPES = 150


def pushed(stage: Stage, tenant: str, scopes: int) -> None:
    """Push ten episodes a scope, ask for their consolidation, and wake the workers for each."""
    for number in range(scopes):
        scope = Scope(tenant, f"user{number}", "concierge")
        stage.parts.push(scope, [Episode(content=f"I like tea and cake {at}", key=str(at)) for at in range(10)])
        due_work.fire(stage.parts, scope.id)
        for job in due_work.runnable_jobs(stage.parts, scope.id):
            queue.notify_workers(scope.id, job)


@pytest.mark.accept
def test_a_flood_delays_another_tenant_by_one_window_per_window(ground: Ground, database: str, tmp_path: Path) -> None:
    with set_up(ground, database, tmp_path, worker_processes=1) as stage:
        queue.configure(stage.parts.broker_url)
        pushed(stage, "flood", SCOPES)
        with running(stage.worker):
            until(lambda: stage.count("runs WHERE outcome = 'ok'") > 3, "the flood is worked off")
            pushed(stage, "few", 1)
            until(
                lambda: stage.count("runs WHERE tenant = 'few' AND job = 'consolidate' AND outcome = 'ok'"),
                "the few are consolidated", otherwise=stage.worker.said,
            )  # fmt: skip
        ((own, between),) = stage.rows(
            "SELECT count(*) FILTER (WHERE tenant = 'few'), count(*) FILTER (WHERE tenant = 'flood') FROM runs "
            "WHERE started >= (SELECT min(received) FROM episode_keys WHERE tenant = 'few') "
            "AND run <= (SELECT max(run) FROM runs WHERE tenant = 'few' AND job = 'consolidate')"
        )
        left = stage.count("intents WHERE tenant = 'flood'")

    assert left > SCOPES / 2, "the flood was over before it could delay anybody"
    assert between <= 2 * own + 4
