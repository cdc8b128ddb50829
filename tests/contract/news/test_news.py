"""A life with news leaves the same beliefs in any windows and with any number of workers."""

import random
from collections.abc import Sequence

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.store.beliefs.digest import digest
from tests.contract.harness import Harness
from tests.contract.late_arrivals.comparing import digested, sound
from tests.contract.news.harness import episodes, life


def tell(harness: Harness, scope: Scope, told: Sequence[Episode], *, at_a_time: int) -> None:
    """Push and consolidate the episodes, in batches of this size."""
    for start in range(0, len(told), at_a_time):
        harness.learn(scope, told[start : start + at_a_time])


def split(harness: Harness, seed: int, *sizes: int, length: int = 8) -> list[str]:
    """Tell a life in batches of these sizes and at once; return the digest, which must always be the same."""
    told = episodes(life(seed, length=length), dice=random.Random(seed))
    scopes = []
    for at_a_time in (*sizes, len(told)):
        scopes.append(Scope(f"at-a-time-{at_a_time}", "alice", "concierge"))
        tell(harness, scopes[-1], told, at_a_time=at_a_time)
    sound(harness, *scopes)
    outcomes = [digested(harness.parts, scope) for scope in scopes]
    assert outcomes == outcomes[:1] * len(outcomes)
    assert ended(harness) > 0
    return outcomes[0]


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6])  # in these lives news ends something
def test_any_split_into_windows_leaves_the_same_beliefs(harness: Harness, seed: int) -> None:
    split(harness, seed, 1, 3)


@pytest.mark.parametrize("seed", [1, 2])
def test_any_split_into_windows_leaves_the_same_statements(stated: Harness, seed: int) -> None:
    assert any("'statement'" in row for row in split(stated, seed, 1, length=6))


def ended(harness: Harness) -> int:
    """Return the number of beliefs that news ended."""
    found: int = harness.value(
        "SELECT count(*) FROM deltas d JOIN delta_payloads p ON p.delta = d.id "
        "WHERE d.kind = 'delete' AND p.payload -> 'claim' ? 'effect'"
    )
    return found


def test_the_digest_does_not_depend_on_the_stored_words_of_beliefs(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, episodes(life(1)), at_a_time=4)
    with harness.parts.database.tenant(scope.tenant) as connection:
        before = digest(connection, scope.id)
    harness.rows("DELETE FROM belief_words WHERE scope = %s", scope.id)
    with harness.parts.database.tenant(scope.tenant) as connection:
        assert digest(connection, scope.id) == before
