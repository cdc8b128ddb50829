"""What was so before is believed until the news, also where it is told after them."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import work
from tests.contract.harness import Harness, somebody
from tests.contract.news.telling import NOON


@pytest.mark.parametrize(
    ("before", "news"),
    [
        ("I drive a Honda", "I sold the Honda"),
        ("My boss is Karen", "Karen left the company"),
    ],
)
def test_what_was_so_before_ends_with_the_news_in_whatever_order_both_are_told(
    stated: Harness, before: str, news: str
) -> None:
    then = Episode(content=before, key="k1", session="s1", occurred_at=NOON)
    since = Episode(content=news, key="k2", session="s2", occurred_at=NOON + timedelta(days=1))

    timely, late = believed(stated, [then, since]), believed(stated, [since, then])

    assert timely == late
    assert len([text for text, ended in late if ended]) == 1


def believed(harness: Harness, told: Sequence[Episode]) -> list[tuple[str, bool]]:
    """Return the facts that a new scope has once it was told each, one after the other, and whether each has ended."""
    scope: Scope = somebody()
    for episode in told:
        harness.parts.push(scope, [episode])
        work.fire(harness.parts, scope.id)
        harness.drain()
    return harness.rows(
        "SELECT text, NOT upper_inf(valid) FROM facts WHERE scope = %s AND upper_inf(recorded) ORDER BY text", scope.id
    )
