"""A machine is lost after a backup that was made under load: the backup holds what was acknowledged before it."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.settings import Settings
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, python, running, until
from tests.faults.rig.pusher import Log, tell, telling
from tests.faults.rig.stage import restarting
from tests.faults.rig.verdict import Outcome, prove, settle

pytestmark = [pytest.mark.accept, pytest.mark.timeout(300)]
NAME = "slowwave"
"""The database of a home."""


def test_a_restored_backup_holds_acknowledged_episodes_and_repeated_pushes_double_nothing(
    ground: Ground, told: Corpus, expected: Outcome, folder: Path
) -> None:
    soon = Corpus(told.seed, told.said[: len(told.said) * 3 // 4])
    first, again, file = Log(folder / "first"), Log(folder / "again"), folder / "memories.dump"
    with home(ground, folder / "here") as (here, settings), closing(wiring.connect(settings)) as parts:
        with at_work(settings, folder / "worker.log"), telling(parts, soon, first, pace_seconds=0.2):
            until(lambda: len(first.acknowledged()) > len(told.said) / 4, "much is pushed")
            before = first.acknowledged()
            backup = Process(python("slowwave.cli", "backup", str(file)), alone(settings), folder / "backup.log")
            with running(backup):
                until(lambda: not backup.running, "the backup is made", otherwise=backup.said)
            assert backup.succeeded, backup.said()
            assert len(first.acknowledged()) > len(before), "nobody pushed meanwhile"
        tell(parts, told, first)
        here.postgres.kill()

    wiring.restore(Settings.load(home=folder / "there", rules=ground.rules, statements=False), file)
    with home(ground, folder / "there") as (there, settings), closing(wiring.connect(settings)) as parts:
        restored = stored(there)
        assert before.items() <= restored.items() <= first.acknowledged().items()
        assert len(restored) < len(told.said)
        with at_work(settings, folder / "worker.log"):
            tell(parts, told, again)
            settle(there, NAME, told)
        assert again.acknowledged() == first.acknowledged(), "an episode has another position than before"
        prove(there, NAME, told, expected, acknowledged=again.acknowledged())


@contextmanager
def home(ground: Ground, folder: Path) -> Iterator[tuple[Ground, Settings]]:
    """Give the servers of a home, and the settings with which they are reached."""
    with ExitStack() as stack:
        with closing(wiring.open_parts(Settings.load(home=folder, rules=ground.rules, statements=False))):
            postgres = stack.enter_context(PostgresServer(folder / "postgres"))
        here = replace(ground, home=folder, postgres=postgres)
        yield here, here.settings(NAME, broker_url=None)


@contextmanager
def at_work(settings: Settings, log: Path) -> Iterator[None]:
    """Run a worker without Celery during the block."""
    worker = Process(python("slowwave.cli", "work"), environment(settings), log)
    with running(worker), restarting(worker):
        yield


def alone(settings: Settings) -> dict[str, str]:
    """Return the environment of a process that finds the database by its home."""
    env = environment(settings)
    return {name: value for name, value in env.items() if not name.endswith("URL")}


def stored(ground: Ground) -> dict[str, int]:
    """Return the position of each key that is stored."""
    return dict(ground.rows(NAME, "SELECT key, position FROM episodes"))
