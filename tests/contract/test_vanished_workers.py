"""Runs that end early: a worker vanishes or takes too long, and only the guilty episode is blamed."""

import signal
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection

from slowwave.core.backoff import pause_after
from slowwave.core.windows import STRIKES
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.jobs.run import Job
from slowwave.memory import due_work
from slowwave.ports import Plan
from slowwave.runtime import clock
from slowwave.store.deadline import gone
from slowwave.store.direct import driver_of
from slowwave.store.runs import settling
from slowwave.store.runs.runs import PostgresRuns
from tests.contract.harness import Harness, at_once, somebody


class Gone(BaseException):
    """An exception that stands for the end of the process: no code catches it, and nothing is written after it."""


@dataclass(frozen=True)
class Deadly:
    """A job that kills its worker."""

    sound: bool

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        raise Gone

    def witness(self, run: Run) -> bool:
        return self.sound


def vanish(harness: Harness, scope: Scope, *, witness: Scope | None = None) -> Run:
    """Claim a run and let its lease expire; a *witness* may do other work meanwhile."""
    run = harness.claimed("gone", scope=scope)
    if witness:
        harness.parts.push(witness, ["hello"])
        harness.settle(harness.claimed("witness", scope=witness, jobs=[PREPARE]))
    harness.later(harness.lease + 1)
    return run


def test_a_window_is_retried_once_then_halved(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 8)

    windows = [(run.lo, run.hi) for run in (vanish(harness, scope) for _ in range(6))]

    assert windows == [(1, 8), (1, 8), (1, 4), (1, 2), (1, 1), (1, 1)]


def test_a_single_episode_is_condemned_after_witnessed_strikes(harness: Harness, scope: Scope) -> None:
    witness = somebody()
    harness.told(scope, 1)

    runs = [vanish(harness, scope, witness=witness) for _ in range(STRIKES + 1)]
    assert [run.condemned for run in runs] == [None] * (STRIKES + 1)

    report = due_work.run_next(harness.parts, owner="judge", scope=scope.id, only=[CONSOLIDATE])

    assert report is not None
    assert (report.outcome, harness.watermark(scope)) == ("dead", 1)
    assert harness.rows("SELECT category, reason FROM dead_letters") == [("vanished", "its worker vanished 6 times")]


def test_an_episode_is_never_condemned_without_a_witness(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 1)

    runs = [vanish(harness, scope) for _ in range(3 * STRIKES)]

    assert [run.condemned for run in runs] == [None] * len(runs)
    assert runs[-1].unwitnessed
    assert harness.value("SELECT strikes FROM intents WHERE scope = %s AND state = 'running'", scope.id) == 0


@pytest.mark.parametrize("sound", [True, False])
def test_the_cases_of_a_pack_show_whether_the_worker_is_sound(harness: Harness, scope: Scope, sound: bool) -> None:
    harness.told(scope, 1)
    deadly = Deadly(sound)

    for _ in range(STRIKES + 1):
        with pytest.raises(Gone):
            harness.attempt(deadly)
        harness.later(harness.lease + 1)

    if not sound:  # a worker that fails at every such job is no evidence against the episode
        with pytest.raises(Gone):
            harness.attempt(deadly)
        return
    assert harness.attempt(deadly) == "dead"
    assert harness.rows("SELECT reason FROM dead_letters") == [("5 workers vanished while they worked on it alone",)]


def test_a_returned_window_counts_no_strike(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 8)
    for _ in range(3 * STRIKES):
        run = harness.claimed("ann")
        harness.parts.runs.give_back(run, "unavailable", wait_seconds=1, error="the model is unreachable")
        assert harness.claim("ann") is None
        harness.later(1.1)
        assert (run.lo, run.hi, run.unwitnessed, run.condemned) == (1, 8, False, None)

    assert harness.rows("SELECT vanished, strikes FROM intents WHERE state = 'running'") == [(0, 0)]
    harness.settle(harness.claimed("ann"))
    assert harness.watermark(scope) == 8


def test_windows_stay_small_until_they_pass_the_failed_episode(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 16)
    guilty = 11

    windows = harness.bury(scope, guilty, category="incorrect", reason="it cannot be read")

    assert harness.watermark(scope) == 16
    assert (guilty, guilty) in windows
    assert len(windows) <= 12
    assert harness.value("SELECT count(*) FROM deltas") == 15
    assert harness.rows("SELECT position, category, reason FROM dead_letters") == [
        (11, "incorrect", "it cannot be read")
    ]


SOFT = 0.3
"""A short time limit in seconds, for work that never ends by itself."""
AMPLE = 60.0
"""A time limit in seconds that only endless work exceeds, on any machine."""
alarm = pytest.mark.timeout(120, method="thread")  # the other method uses the alarm of this process


@dataclass(frozen=True)
class Slow:
    """The consolidation job, which calls *something* if an episode contains the words *it cannot do with*."""

    job: Job
    something: Callable[[], object]
    words: str

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan, unless the call does not return."""
        if any(self.words in episode.content for episode in store.episodes(run)):
            self.something()
        return self.job.think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the cases hold."""
        return self.job.witness(run)


def for_ever() -> None:
    """Compute without end; the alarm of the time limit is triggered at once."""
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while True:
        pass


def for_too_long() -> None:
    """Compute until the time limit has passed, and return."""
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
    assert error.startswith(f"took longer than {AMPLE:g} s at test_vanished_workers.py:")
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


class Sleep:
    """An effect during which the server ends the transaction because it is idle."""


@settling.write.register
def _sleep(_effect: Sleep, connection: Connection, _run: Run) -> None:
    connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 1")
    while not gone(driver_of(connection)):
        pass
    connection.exec_driver_sql("SELECT 1")


class Sleepy:
    """A job whose transaction the server ends."""

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        return Plan(effects=[Sleep()])

    def witness(self, _run: Run) -> bool:
        return True


@pytest.mark.parametrize(
    ("overlong_seconds", "expected"), [(0, ["narrowed", "narrowed", "unavailable"]), (3600, ["unavailable"] * 3)]
)
def test_a_window_whose_transaction_failed_after_a_long_time_is_halved(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch, overlong_seconds: float, expected: list[str]
) -> None:
    monkeypatch.setattr("slowwave.jobs.run.OVERLONG_SECONDS", overlong_seconds)
    harness.told(scope, 4)

    outcomes = []
    for _ in expected:
        outcomes.append(harness.attempt(Sleepy(), scope=scope))
        harness.later(2)

    assert outcomes == expected
    assert harness.drain()["ok"]
    assert harness.watermark(scope) == 4
    assert harness.value("SELECT count(*) FROM dead_letters") == 0


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
