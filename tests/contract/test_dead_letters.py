"""A dead letter can be taken up again: its episode is read, and nothing else is read twice."""

from collections.abc import Sequence

from slowwave.domain.job_table import CONSOLIDATE, RETRY
from slowwave.domain.scope import Scope
from slowwave.store.dead_letters import dead_letters
from tests.contract.desk import Desk


def bury(desk: Desk, scope: Scope, *guilty: int) -> None:
    """Consolidate eight episodes of which some become dead letters."""
    desk.told(scope, 8)
    while run := desk.claim("ann", scope=scope):
        if run.lo == run.hi and run.lo in guilty:
            desk.parts.runs.bury(run, category="incorrect", reason="it cannot be read")
        elif set(run.positions) & set(guilty):
            desk.parts.runs.narrow(run, "it cannot be read")
        else:
            desk.settle(run)


def retry(desk: Desk, scope: Scope) -> None:
    """Ask for every open letter's episode once more."""
    with desk.parts.database.tenant(scope.tenant) as connection:
        dead_letters.ask_again(connection, dead_letters.letters(connection, state="open"))


def test_a_retried_dead_letter_is_read_and_nothing_else_is(desk: Desk, scope: Scope) -> None:
    bury(desk, scope, 3, 6)
    assert (desk.watermark(scope), _positions(desk)) == (8, [1, 2, 4, 5, 7, 8])

    retry(desk, scope)
    run = desk.claimed("ann", jobs=[RETRY])
    assert (run.positions, desk.settle(run)) == ([3, 6], {"add": 2})

    assert (desk.watermark(scope), _positions(desk)) == (8, [1, 2, 3, 4, 5, 6, 7, 8])
    assert desk.rows("SELECT DISTINCT state FROM dead_letters") == [("retried",)]
    assert desk.claim("ann", jobs=[RETRY, CONSOLIDATE]) is None


def test_a_letter_that_fails_again_is_buried_again_and_spares_the_others(desk: Desk, scope: Scope) -> None:
    bury(desk, scope, 3, 6)
    retry(desk, scope)

    while run := desk.claim("ann", jobs=[RETRY]):
        if run.positions == [3]:
            desk.parts.runs.bury(run, category="incorrect", reason="still not")
        elif 3 in run.positions:
            desk.parts.runs.narrow(run, "still not")
        else:
            desk.settle(run)

    assert _positions(desk) == [1, 2, 4, 5, 6, 7, 8]
    open_ = desk.rows("SELECT position, reason FROM dead_letters WHERE state = 'open'")
    assert open_ == [(3, "still not")]
    assert desk.watermark(scope) == 8


def test_new_work_beside_a_retry_is_neither_lost_nor_stopped_by_it(desk: Desk, scope: Scope) -> None:
    bury(desk, scope, 3)
    retry(desk, scope)
    run = desk.claimed("ann", jobs=[RETRY])
    desk.told(scope, 4, start=9)
    assert desk.claim("bob") is None  # the scope is held

    desk.later(desk.lease + 1)
    assert desk.settle(desk.claimed("bob", jobs=[CONSOLIDATE])) == {"add": 4}
    assert desk.settle(desk.claimed("bob", jobs=[RETRY])) == {"add": 1}
    assert not desk.parts.runs.renew(run)
    assert _positions(desk) == list(range(1, 13))


def _positions(desk: Desk) -> Sequence[int]:
    return [position for (position,) in desk.rows("SELECT position FROM deltas ORDER BY position")]
