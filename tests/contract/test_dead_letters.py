"""A fault of our own makes no dead letter until other episodes succeed; a dead letter can be retried."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from slowwave.core.backoff import pause_after
from slowwave.core.windows import PATIENCE, STRIKES
from slowwave.domain.job_table import CONSOLIDATE, PREPARE, RETRY
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.jobs.run import Job
from slowwave.ports import Plan
from slowwave.store.runs.runs import PostgresRuns
from tests.contract.harness import Harness, somebody

LONG = PATIENCE + STRIKES + 5


@dataclass
class Breaking:
    """A job whose code fails on episodes that contain *words*, or on every episode if they are `*`."""

    job: Job
    sound: bool = True
    words: list[str] = field(default_factory=list)

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Fail, or do the work of the job."""
        for episode in store.episodes(run):
            if self.words == ["*"] or episode.content in self.words:
                raise LookupError("nobody foresaw this")
        return self.job.think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the cases hold."""
        return self.sound


class Away:
    """A job whose service asks to be left alone for an hour."""

    def think(self, _run: Run, _store: PostgresRuns) -> Plan:
        raise Unavailable("away", retry_after_seconds=3600)

    def witness(self, _run: Run) -> bool:
        return True


@pytest.fixture
def breaking(harness: Harness) -> Breaking:
    """The failing job that replaces the consolidation job."""
    return Breaking(harness.parts.jobs[CONSOLIDATE])


def attempt(harness: Harness, job: Job, scope: Scope | None = None) -> str | None:
    """Skip the longest pause and do the due runs, of one scope or of all; return the outcomes."""
    harness.later(pause_after(100))
    return harness.attempt(job, scope=scope)


def test_a_fault_of_the_installation_makes_no_dead_letters(harness: Harness, breaking: Breaking) -> None:
    scopes = [somebody() for _ in range(3)]
    for scope in scopes:
        harness.told(scope, 4)
    breaking.words = ["*"]

    outcomes = [attempt(harness, breaking) for _ in range(LONG * len(scopes))]
    assert set(outcomes) == {"narrowed", "faulted"}

    breaking.words = []
    while attempt(harness, breaking):
        pass
    assert harness.value("SELECT count(*) FROM dead_letters") == 0
    assert [harness.watermark(scope) for scope in scopes] == [4, 4, 4]
    assert harness.value("SELECT count(*) FROM facts WHERE upper_inf(recorded)") == 12


def test_an_episode_that_hits_a_bug_is_condemned_once_other_scopes_succeed(
    harness: Harness, breaking: Breaking, scope: Scope
) -> None:
    other = somebody()
    harness.told(scope, 1)
    breaking.words = ["I like food1"]
    outcomes: list[str | None] = []
    for number in range(STRIKES + 1):
        outcomes.append(attempt(harness, breaking, scope))
        harness.told(other, 1, start=100 + number)  # an episode with other words, which is processed
        assert attempt(harness, breaking, other) == "ok"

    assert outcomes == [*["faulted"] * STRIKES, "dead"]
    (letter,) = harness.rows("SELECT category, reason, position FROM dead_letters")
    assert (letter[0], letter[2]) == ("fault", 1)
    assert letter[1].startswith("LookupError at test_dead_letters.py")
    assert (harness.watermark(scope), harness.watermark(other)) == (1, STRIKES + 1)


def test_a_bug_that_hits_several_scopes_condemns_no_episode(harness: Harness, breaking: Breaking, scope: Scope) -> None:
    third, fortunate = somebody(), somebody()
    for each in (scope, third):
        harness.told(each, 1)
    breaking.words = ["I like food1"]
    for number in range(PATIENCE - 1):
        assert attempt(harness, breaking, scope) == attempt(harness, breaking, third) == "faulted"
        harness.told(fortunate, 1, start=200 + number)
        assert attempt(harness, breaking, fortunate) == "ok"

    assert harness.value("SELECT count(*) FROM dead_letters") == 0
    assert harness.value("SELECT max(strikes) FROM intents") == 0


@pytest.mark.parametrize("sound", [True, False])
def test_without_other_scopes_the_cases_of_the_pack_decide(
    harness: Harness, breaking: Breaking, scope: Scope, sound: bool
) -> None:
    harness.told(scope, 1)
    breaking.words, breaking.sound = ["I like food1"], sound

    outcomes = [attempt(harness, breaking) for _ in range(PATIENCE + STRIKES)]

    assert outcomes[:-1] == ["faulted"] * (PATIENCE + STRIKES - 1)
    assert outcomes[-1] == ("dead" if sound else "faulted")


def test_the_pause_after_a_fault_doubles_and_holds_no_lease(harness: Harness, breaking: Breaking, scope: Scope) -> None:
    harness.told(scope, 1)
    harness.stop_clock()
    breaking.words = ["I like food1"]

    for faults in range(6):
        assert harness.attempt(breaking) == "faulted", f"after {faults} faults"
        harness.later(pause_after(faults) * 0.8)
        assert harness.claim("bob") is None
        harness.later(pause_after(faults) * 0.4)

    assert harness.claim("bob", jobs=[PREPARE]) is not None


def test_a_scope_that_waits_after_many_faults_is_listed_and_resumes_within_a_minute_of_the_repair(
    harness: Harness, breaking: Breaking, scope: Scope
) -> None:
    other = somebody()
    for each in (scope, other):
        harness.told(each, 1)
    harness.stop_clock()
    breaking.words = ["I like food1"]
    for _ in range(10):
        harness.later(pause_after(100))
        assert harness.attempt(breaking, scope=scope) == harness.attempt(breaking, scope=other) == "faulted"
    now = harness.value("SELECT slowwave_now()")
    waiting = harness.parts.records.overview(scope.tenant).retries
    assert {retry.scope for retry in waiting} == {scope, other}
    assert all(now < retry.until <= now + timedelta(seconds=60) for retry in waiting)

    breaking.words = []
    assert harness.attempt(breaking, scope=other) is None
    harness.later(60)

    assert harness.attempt(breaking, scope=other) == harness.attempt(breaking, scope=scope) == "ok"
    assert not harness.parts.records.overview(scope.tenant).retries


def test_a_wait_for_another_service_lasts_at_most_a_minute(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 1)
    harness.stop_clock()

    assert harness.attempt(Away(), scope=scope) == "unavailable"
    assert harness.attempt(Away(), scope=scope) is None
    harness.later(60)

    assert harness.attempt(Away(), scope=scope) == "unavailable"


def bury(harness: Harness, scope: Scope, *guilty: int) -> None:
    """Consolidate eight episodes of which some become dead letters."""
    harness.told(scope, 8)
    harness.bury(scope, *guilty, category="incorrect", reason="it cannot be read")


def test_a_retry_reads_only_the_episodes_of_dead_letters(harness: Harness, scope: Scope) -> None:
    bury(harness, scope, 3, 6)
    assert (harness.watermark(scope), _positions(harness)) == (8, [1, 2, 4, 5, 7, 8])

    harness.retry()
    run = harness.claimed("ann", jobs=[RETRY])
    assert (run.positions, harness.settle(run)) == ([3, 6], {"add": 2})

    assert (harness.watermark(scope), _positions(harness)) == (8, [1, 2, 3, 4, 5, 6, 7, 8])
    assert harness.rows("SELECT DISTINCT state FROM dead_letters") == [("retried",)]
    assert harness.claim("ann", jobs=[RETRY, CONSOLIDATE]) is None


def test_a_retried_episode_that_fails_is_a_dead_letter_and_the_others_are_read(harness: Harness, scope: Scope) -> None:
    bury(harness, scope, 3, 6)
    harness.retry()

    harness.bury(scope, 3, jobs=[RETRY], category="incorrect", reason="still not")

    assert _positions(harness) == [1, 2, 4, 5, 6, 7, 8]
    open_ = harness.rows("SELECT position, reason FROM dead_letters WHERE state = 'open'")
    assert open_ == [(3, "still not")]
    assert harness.watermark(scope) == 8


def test_a_retry_neither_loses_nor_blocks_new_work(harness: Harness, scope: Scope) -> None:
    bury(harness, scope, 3)
    harness.retry()
    run = harness.claimed("ann", jobs=[RETRY])
    harness.told(scope, 4, start=9)
    assert harness.claim("bob") is None  # a worker holds the scope

    harness.later(harness.lease + 1)
    assert harness.settle(harness.claimed("bob", jobs=[CONSOLIDATE])) == {"add": 4}
    assert harness.settle(harness.claimed("bob", jobs=[RETRY])) == {"add": 1}
    assert not harness.parts.runs.renew(run)
    assert _positions(harness) == list(range(1, 13))


def _positions(harness: Harness) -> Sequence[int]:
    return harness.column("SELECT position FROM deltas ORDER BY position")
