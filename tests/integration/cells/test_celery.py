"""One Celery worker and one scheduler serve every cell, through one broker."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from slowwave.client import QueueClient
from slowwave.embedded_services import RedisServer
from slowwave.memory import Memory, due_work
from slowwave.memory.verb_group import parts_of
from slowwave.settings import Settings
from slowwave.wiring import moving
from slowwave.wiring.cells import CellsFile
from tests.faults.rig.processes import (
    Process,
    celery,
    celery_beat,
    free_port,
    plain_environment,
    python,
    running,
    until,
)
from tests.folders import open_folder, quick

pytestmark = pytest.mark.accept


def test_messages_and_due_work_reach_the_cell_of_their_tenant(
    opened: Callable[[], Memory], settings: Settings, tmp_path: Path
) -> None:
    assert settings.cells is not None
    for tenant, cell in {"acme": "one", "bolt": "two", "core": "three"}.items():
        CellsFile(settings.cells).record(tenant, cell)
    memory = opened()
    moving.move(parts_of(memory), "core", "one", print)
    with open_folder("cells-broker", quick()) as home, RedisServer(home / "redis") as broker:
        environment = plain_environment(
            SLOWWAVE_CELLS=str(settings.cells), SLOWWAVE_BROKER_URL=broker.broker_url, SLOWWAVE_STATEMENTS="off",
            SLOWWAVE_HOME=str(tmp_path), SLOWWAVE_TICK_SECONDS="1", SLOWWAVE_LEASE_SECONDS="2",
        )  # fmt: skip
        worker = Process(celery("worker.app", processes=2), environment, tmp_path / "worker.log")
        beat = Process(celery_beat(), environment, tmp_path / "beat.log")
        with running(worker), running(beat), QueueClient(broker.broker_url) as client:
            for tenant in ("acme", "bolt", "core", "dart"):  # nobody has placed the last one
                client.scope("alice", tenant=tenant).push("I moved to Oslo", role="user")
            cells = moving.known(parts_of(memory))
            until(lambda: "dart" in cells.layout.tenants, "the new tenant is placed", otherwise=worker.said)
            for tenant in ("acme", "bolt", "core", "dart"):
                scope = memory.scope("alice", tenant=tenant)
                until(lambda: bool(scope.recent()), "it is stored", otherwise=worker.said)  # noqa: B023
                due_work.fire(cells.of(tenant), scope.scope.id)
                until(lambda: bool(scope.facts()), "it is learned", otherwise=worker.said)  # noqa: B023
        assert "Traceback" not in worker.said()


def test_up_runs_everything_for_all_cells(opened: Callable[[], Memory], settings: Settings) -> None:
    assert settings.cells is not None
    CellsFile(settings.cells).record("acme", "two")
    with open_folder("cells-up", quick()) as home:
        environment = plain_environment(
            SLOWWAVE_CELLS=str(settings.cells), SLOWWAVE_HOME=str(home), SLOWWAVE_STATEMENTS="off",
            SLOWWAVE_FLOWER_PORT=str(free_port()),
        )  # fmt: skip
        up = Process(python("slowwave.cli", "up"), environment, home / "up.log")
        with running(up):
            until(lambda: "ready" in up.said(), "everything runs", otherwise=up.said)
            memory = opened()
            scope = memory.scope("alice", tenant="acme")
            scope.push("I moved to Oslo", role="user")
            due_work.fire(parts_of(memory).of("acme"), scope.scope.id)
            until(lambda: bool(scope.facts()), "it is learned", otherwise=up.said)
            up.ask(signal.SIGTERM)
            until(lambda: not up.running, "it ends", otherwise=up.said)
