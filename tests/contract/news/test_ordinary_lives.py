"""Ordinary lives, told in any order, leave the same beliefs as in time."""

from collections.abc import Callable
from operator import itemgetter
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slowwave.domain.job_table import RECONSIDER, pack_of
from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.contract.late_arrivals.comparing import sound
from tests.contract.news.test_facts_after_the_news import consolidated, told
from tests.unit.tables import table

Test = TypeVar("Test", bound=Callable[..., None])
ROWS = table(__file__)
LIVES: list[list[str]] = ROWS["lives"]


def believed(harness: Harness, scope: Scope) -> list[tuple[object, ...]]:
    """Return the beliefs after a night, with their periods, and the open reviews."""
    harness.parts.schedule.fire_job(RECONSIDER, pack_of(RECONSIDER), by="test")
    harness.drain()
    return harness.rows(
        "SELECT text, lower(valid), upper(valid) FROM facts WHERE scope = %s AND upper_inf(recorded) "
        "UNION ALL SELECT reason || (item ->> 'object'), NULL, NULL FROM dead_letters "
        "WHERE scope = %s AND category = 'conflict' AND state = 'open' ORDER BY 1, 2, 3",
        scope.id, scope.id,
    )  # fmt: skip


@st.composite
def arriving(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    """Return one life, or two with different beginnings, mixed, and an order of arrival."""
    said, *others = (
        [*life] for life in draw(st.lists(st.sampled_from(LIVES), min_size=1, max_size=2, unique_by=itemgetter(0)))
    )
    at = 0
    for one in (turn for life in others for turn in life):
        at = draw(st.integers(at, len(said)))
        said.insert(at, one)
        at += 1
    return said, draw(st.permutations(range(len(said))))


def examples(test: Test) -> Test:
    """Make a test run the examples of the table too."""
    for life, order in ROWS["examples"]:
        test = example(life=(life, order), size=1)(test)
    return test


@pytest.mark.accept
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(life=arriving(), size=st.integers(1, 3))
@examples
def test_a_life_told_in_any_order_leaves_the_same_beliefs(
    stated: Harness, life: tuple[list[str], list[int]], size: int
) -> None:
    said, order = life
    timely = consolidated(stated, told(said, range(len(said))))

    late = consolidated(stated, told(said, order), at_a_time=size)

    assert believed(stated, late) == believed(stated, timely)
    sound(stated, timely, late)
