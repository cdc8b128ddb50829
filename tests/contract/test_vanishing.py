"""A window whose worker vanishes is narrowed to the guilty episode, and nobody is condemned without a witness."""

from dataclasses import dataclass

import pytest

from slowwave.core.windows import STRIKES
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.memory import work
from slowwave.ports import Plan, RunStore
from tests.contract.desk import Desk, somebody


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


def vanish(desk: Desk, scope: Scope, *, witness: Scope | None = None) -> Run:
    """Claim, and let the lease run out; meanwhile a *witness* may get some work done."""
    run = desk.claimed("gone", scope=scope)
    if witness:
        desk.parts.push(witness, ["hello"])
        desk.settle(desk.claimed("witness", scope=witness, jobs=[PREPARE]))
    desk.later(desk.lease + 1)
    return run


def test_the_same_window_is_tried_again_then_halved(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 8)

    windows = [(run.lo, run.hi) for run in (vanish(desk, scope) for _ in range(6))]

    assert windows == [(1, 8), (1, 8), (1, 4), (1, 2), (1, 1), (1, 1)]


def test_one_episode_alone_is_condemned_after_the_strikes_that_were_witnessed(desk: Desk, scope: Scope) -> None:
    witness = somebody()
    desk.told(scope, 1)

    runs = [vanish(desk, scope, witness=witness) for _ in range(STRIKES + 1)]
    assert [run.condemned for run in runs] == [None] * (STRIKES + 1)

    report = work.run_next(desk.parts, owner="judge", scope=scope.id, only=[CONSOLIDATE])

    assert report is not None
    assert (report.outcome, desk.watermark(scope)) == ("dead", 1)
    assert desk.rows("SELECT category, reason FROM dead_letters") == [("vanished", "its worker vanished 6 times")]


def test_without_a_witness_nobody_is_condemned(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 1)

    runs = [vanish(desk, scope) for _ in range(3 * STRIKES)]

    assert [run.condemned for run in runs] == [None] * len(runs)
    assert runs[-1].unwitnessed
    assert desk.value("SELECT strikes FROM intents WHERE scope = %s AND state = 'running'", scope.id) == 0


@pytest.mark.parametrize("sound", [True, False])
def test_where_nothing_else_runs_the_packs_own_cases_are_the_witness(desk: Desk, scope: Scope, sound: bool) -> None:
    desk.told(scope, 1)
    deadly = Deadly(sound)

    for _ in range(STRIKES + 1):
        with pytest.raises(Gone):
            desk.attempt(deadly)
        desk.later(desk.lease + 1)

    if not sound:  # this worker cannot do such work at all: that is no evidence against the episode
        with pytest.raises(Gone):
            desk.attempt(deadly)
        return
    assert desk.attempt(deadly) == "dead"
    assert desk.rows("SELECT reason FROM dead_letters") == [("its worker vanished 5 times alone with it",)]


def test_what_is_given_back_counts_against_nobody(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 8)
    for _ in range(3 * STRIKES):
        run = desk.claimed("ann")
        desk.parts.runs.give_back(run, "unavailable", wait_seconds=1, error="the model is away")
        assert desk.claim("ann") is None
        desk.later(1.1)
        assert (run.lo, run.hi, run.unwitnessed, run.condemned) == (1, 8, False, None)

    assert desk.rows("SELECT vanished, strikes FROM intents WHERE state = 'running'") == [(0, 0)]
    desk.settle(desk.claimed("ann"))
    assert desk.watermark(scope) == 8


def test_windows_stay_small_until_they_pass_what_failed(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 16)
    guilty = 11

    windows = []
    for _ in range(40):
        run = desk.claim("ann")
        if run is None:
            break
        windows.append((run.lo, run.hi))
        if run.lo == run.hi == guilty:
            desk.parts.runs.bury(run, category="incorrect", reason="it cannot be read")
        elif run.lo <= guilty <= run.hi:
            desk.parts.runs.narrow(run, "it cannot be read")
        else:
            desk.settle(run)

    assert desk.watermark(scope) == 16
    assert (guilty, guilty) in windows
    assert len(windows) <= 12
    assert desk.value("SELECT count(*) FROM deltas") == 15
    assert desk.rows("SELECT position, category, reason FROM dead_letters") == [(11, "incorrect", "it cannot be read")]
