"""A run that takes too long is stopped where it thinks: halved like any fault, and nothing it thought is written."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from slowwave.core.backoff import pause_after
from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.ports import Job, Plan, RunStore
from slowwave.runtime import clock
from tests.contract.harness import Harness, at_once

SOFT = 0.3
"""Seconds, of which none is asserted: what is stopped by them would go on for ever."""
AMPLE = 60.0
"""Seconds that nothing takes but what goes on for ever, on whatever machine."""
alarm = pytest.mark.timeout(120, method="thread")  # the other method has the alarm of this process


@dataclass(frozen=True)
class Slow:
    """The job that consolidates, which does *something* over the words that *it cannot do with*."""

    job: Job
    something: Callable[[], object]
    words: str

    def think(self, run: Run, store: RunStore) -> Plan:
        """Return the plan, if ever."""
        if any(self.words in episode.content for episode in store.episodes(run)):
            self.something()
        return self.job.think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the cases hold."""
        return self.job.witness(run)


def for_ever() -> None:
    """Compute without a pause; the alarm that is set for the end of an ample time rings at once."""
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass


def for_too_long() -> None:
    """Compute until the limit has passed, and end by itself."""
    end = clock.monotonic() + 1.1 * SOFT
    while clock.monotonic() < end:
        pass


@alarm
def test_an_endless_episode_is_isolated_and_its_neighbours_are_learned(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 4)
    slow = Slow(harness.parts.jobs[CONSOLIDATE], for_ever, "food2")

    outcomes = []
    while (outcome := harness.attempt(slow, scope=scope, soft_limit_seconds=AMPLE)) is not None:
        outcomes.append(outcome)
        harness.later(pause_after(0))
        if outcome == "faulted":
            break

    assert outcomes == ["narrowed", "narrowed", "ok", "faulted"]
    assert harness.watermark(scope) == 1
    ((error,),) = harness.rows("SELECT error FROM runs WHERE outcome = 'faulted'")
    assert error.startswith(f"took longer than {AMPLE:g} s at test_time_limits.py:")
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@alarm
def test_a_statement_over_the_time_limit_is_abandoned_with_its_connection(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 4)

    def ask() -> None:
        with harness.parts.database.dispatch() as connection:
            connection.exec_driver_sql("SELECT pg_sleep(100)")

    slow = Slow(harness.parts.jobs[CONSOLIDATE], ask, "food")
    assert harness.attempt(slow, scope=scope, soft_limit_seconds=SOFT) == "narrowed"

    harness.later(pause_after(0))
    assert harness.drain()["ok"]
    assert harness.watermark(scope) == 4


def test_a_run_over_its_time_limit_in_a_thread_writes_nothing(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 4)
    slow = Slow(harness.parts.jobs[CONSOLIDATE], for_too_long, "food")

    assert at_once([lambda: harness.attempt(slow, scope=scope, soft_limit_seconds=SOFT)]) == ["narrowed"]
    assert harness.value("SELECT count(*) FROM deltas") == 0


def test_a_time_limit_keeps_the_alarm_of_other_code(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 4)
    handler, (left, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    assert left, "this test runs under an alarm"

    slow = Slow(harness.parts.jobs[CONSOLIDATE], for_too_long, "food")
    assert harness.attempt(slow, scope=scope, soft_limit_seconds=SOFT) == "narrowed"
    assert signal.getsignal(signal.SIGALRM) is handler
    assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < left
