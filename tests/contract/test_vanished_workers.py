"""A window whose worker vanishes is narrowed to the guilty episode, and nobody is condemned without a witness."""

from dataclasses import dataclass

import pytest

from slowwave.core.windows import STRIKES
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.ports import Plan, RunStore
from tests.contract.harness import Harness, somebody


class Gone(BaseException):
    """Stands for the end of the process: nobody catches it, and nothing more is written."""


@dataclass(frozen=True)
class Deadly:
    """A job that no worker survives."""

    sound: bool

    def think(self, run: Run, store: RunStore) -> Plan:
        raise Gone

    def witness(self, run: Run) -> bool:
        return self.sound


def vanish(harness: Harness, scope: Scope, *, witness: Scope | None = None) -> Run:
    """Claim, and let the lease run out; meanwhile a *witness* may get some work done."""
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

    if not sound:  # this worker cannot do such work at all: that is no evidence against the episode
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

    windows = []
    for _ in range(40):
        run = harness.claim("ann")
        if run is None:
            break
        windows.append((run.lo, run.hi))
        if run.lo == run.hi == guilty:
            harness.parts.runs.bury(run, category="incorrect", reason="it cannot be read")
        elif run.lo <= guilty <= run.hi:
            harness.parts.runs.narrow(run, "it cannot be read")
        else:
            harness.settle(run)

    assert harness.watermark(scope) == 16
    assert (guilty, guilty) in windows
    assert len(windows) <= 12
    assert harness.value("SELECT count(*) FROM deltas") == 15
    assert harness.rows("SELECT position, category, reason FROM dead_letters") == [
        (11, "incorrect", "it cannot be read")
    ]
