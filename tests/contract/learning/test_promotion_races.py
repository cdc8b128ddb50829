"""A promotion that is killed, repeated or overtaken leaves the result of one undisturbed run."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from slowwave.errors import Conflict, Fenced, Unavailable
from slowwave.store.audit.reads_and_deltas import log_decisions
from slowwave.store.work_queue import leases
from tests.contract.harness import Harness
from tests.contract.learning.projects import Project
from tests.contract.learning.test_revocation import deleted
from tests.faults.rig.processes import until


@pytest.fixture
def project(harness: Harness) -> Project:
    """A project channel with a home that may be promoted."""
    project = Project(harness)
    project.living()
    return project


class Meanwhile:
    """Calls a function in a thread, and continues once the thread waits for a lock."""

    def __init__(self, harness: Harness, act: Callable[[], Any]) -> None:
        self._harness, self._act = harness, act
        self.came_to: Any = None
        self._thread = threading.Thread(target=self._do)

    def __call__(self) -> None:
        self._thread.start()
        until(lambda: self._harness.lock_waits() > 0, "somebody waits for a lock")

    def _do(self) -> None:
        try:
            self.came_to = self._act()
        except (Conflict, Unavailable) as error:
            self.came_to = error

    def end(self) -> Any:
        self._thread.join(30)
        return self.came_to


def test_a_fact_closed_during_its_promotion_loses_the_promotion(
    harness: Harness, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = project.claimed()
    closing = Meanwhile(harness, lambda: deleted(project))
    finish = leases.finish

    def then(*args: Any, **fields: Any) -> None:
        closing()
        finish(*args, **fields)

    with monkeypatch.context() as patched:
        patched.setattr(leases, "finish", then)
        assert harness.settle(run) == {"add": 1}  # committed before the deletion
    assert closing.end() is None

    assert project.work()["undone"] == 1
    assert project.believed() == []


def test_a_closing_fact_is_not_promoted(harness: Harness, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run = project.claimed()
    plan = harness.think(run)
    promoting = Meanwhile(harness, lambda: harness.parts.runs.settle(run, plan))
    calls: list[int] = []

    def then(*args: Any, **fields: Any) -> None:
        calls.append(1)
        if len(calls) == 1:
            promoting()
        log_decisions(*args, **fields)

    with monkeypatch.context() as patched:
        patched.setattr("slowwave.store.beliefs.apply.log_decisions", then)
        deleted(project)
    ended = promoting.end()

    assert isinstance(ended, Conflict)
    assert not isinstance(ended, Fenced)
    assert harness.settle(run) == {}  # decided again
    assert project.believed() == []
    assert project.live() == 0
