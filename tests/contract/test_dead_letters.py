"""A dead letter can be retried: its episode is read, and nothing else is read twice."""

from collections.abc import Sequence

from slowwave.domain.job_table import CONSOLIDATE, RETRY
from slowwave.domain.scope import Scope
from slowwave.store.dead_letters import dead_letters
from tests.contract.harness import Harness


def bury(harness: Harness, scope: Scope, *guilty: int) -> None:
    """Consolidate eight episodes of which some become dead letters."""
    harness.told(scope, 8)
    while run := harness.claim("ann", scope=scope):
        if run.lo == run.hi and run.lo in guilty:
            harness.parts.runs.bury(run, category="incorrect", reason="it cannot be read")
        elif set(run.positions) & set(guilty):
            harness.parts.runs.narrow(run, "it cannot be read")
        else:
            harness.settle(run)


def retry(harness: Harness, scope: Scope) -> None:
    """Ask for every open letter's episode once more."""
    with harness.parts.database.tenant(scope.tenant) as connection:
        dead_letters.ask_again(connection, dead_letters.letters(connection, state="open"))


def test_a_retried_dead_letter_is_read_and_nothing_else_is(harness: Harness, scope: Scope) -> None:
    bury(harness, scope, 3, 6)
    assert (harness.watermark(scope), _positions(harness)) == (8, [1, 2, 4, 5, 7, 8])

    retry(harness, scope)
    run = harness.claimed("ann", jobs=[RETRY])
    assert (run.positions, harness.settle(run)) == ([3, 6], {"add": 2})

    assert (harness.watermark(scope), _positions(harness)) == (8, [1, 2, 3, 4, 5, 6, 7, 8])
    assert harness.rows("SELECT DISTINCT state FROM dead_letters") == [("retried",)]
    assert harness.claim("ann", jobs=[RETRY, CONSOLIDATE]) is None


def test_a_retried_episode_that_fails_becomes_a_dead_letter_and_the_others_are_read(
    harness: Harness, scope: Scope
) -> None:
    bury(harness, scope, 3, 6)
    retry(harness, scope)

    while run := harness.claim("ann", jobs=[RETRY]):
        if run.positions == [3]:
            harness.parts.runs.bury(run, category="incorrect", reason="still not")
        elif 3 in run.positions:
            harness.parts.runs.narrow(run, "still not")
        else:
            harness.settle(run)

    assert _positions(harness) == [1, 2, 4, 5, 6, 7, 8]
    open_ = harness.rows("SELECT position, reason FROM dead_letters WHERE state = 'open'")
    assert open_ == [(3, "still not")]
    assert harness.watermark(scope) == 8


def test_a_retry_neither_loses_nor_blocks_new_work(harness: Harness, scope: Scope) -> None:
    bury(harness, scope, 3)
    retry(harness, scope)
    run = harness.claimed("ann", jobs=[RETRY])
    harness.told(scope, 4, start=9)
    assert harness.claim("bob") is None  # the scope is held

    harness.later(harness.lease + 1)
    assert harness.settle(harness.claimed("bob", jobs=[CONSOLIDATE])) == {"add": 4}
    assert harness.settle(harness.claimed("bob", jobs=[RETRY])) == {"add": 1}
    assert not harness.parts.runs.renew(run)
    assert _positions(harness) == list(range(1, 13))


def _positions(harness: Harness) -> Sequence[int]:
    return [position for (position,) in harness.rows("SELECT position FROM deltas ORDER BY position")]
