"""However the work is cut and whatever comes late, the same episodes end in the same beliefs."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from slowwave.settings import Settings
from slowwave.store.beliefs.digest import digest
from slowwave.store.beliefs.rebuild import rebuilt as stored_rebuilt
from slowwave.store.statements import sql
from tests.conftest import NOON
from tests.contract.harness import PACK, Harness
from tests.faults.rig.corpus import corpus

UNTIL_LATE = 18
"""The longest window of the corpus in which nothing told late may change, or repeats, what was told since."""


def test_windows_of_any_length_give_the_same_digest(harness: Harness, settings: Settings) -> None:
    digests, counts = set(), set()
    for window in (1, 7, 50):
        parts = wiring.connect(settings.model_copy(update={"window": window}))
        told = corpus(episodes=60, scopes=1, tenant=f"windows-of-{window}")
        (scope,) = told.scopes
        parts.push(scope, told.of(scope))
        memory = Memory(parts)
        due_work.fire(parts, scope.id)
        memory.drain()

        windows = harness.rows("SELECT hi - lo + 1 FROM runs WHERE scope = %s AND pack = %s", scope.id, PACK)
        assert max(windows) == (min(window, UNTIL_LATE),)
        digests.add(_believed(parts, scope))
        counts.add(
            tuple(harness.rows("SELECT kind, count(*) FROM deltas WHERE scope = %s GROUP BY 1 ORDER BY 1", scope.id))
        )
        parts.close()

    assert len(digests) == len(counts) == 1


def test_episodes_pushed_singly_or_in_a_batch_give_the_same_digest(harness: Harness) -> None:
    outcomes = set()
    for size in (1, 30):
        told = corpus(episodes=30, scopes=1, tenant=f"batches-of-{size}")
        (scope,) = told.scopes
        for start in range(0, 30, size):
            harness.parts.push(scope, told.of(scope)[start : start + size])
            due_work.fire(harness.parts, scope.id)
            harness.drain()
        outcomes.add(_believed(harness.parts, scope))

    assert len(outcomes) == 1


@pytest.mark.parametrize("in_order", [True, False])
def test_a_late_old_episode_changes_only_the_past(
    harness: Harness, scope: Scope, told: Callable[..., list[Episode]], in_order: bool
) -> None:
    memory = Memory(harness.parts).scope(scope.user, agent=scope.agent)
    (now,), (old,) = told("I moved to Oslo"), told("I moved to Lisbon", start=-60)
    for episode in (old, now) if in_order else (now, old):
        memory.push(episode)
        memory.consolidate()

    assert [fact.object for fact in memory.facts(as_of=NOON)] == ["Oslo"]
    assert [fact.object for fact in memory.facts(as_of=NOON - timedelta(minutes=30))] == ["Lisbon"]


def test_a_digest_does_not_depend_on_the_page_size(harness: Harness) -> None:
    users = ["ann", 'ann"', "ann\\", "ann,", "an", "Ånn", "ann ann", "\U0001f642", "zoe"]
    memory = Memory(harness.parts)
    for user in users:
        for agent in ("a", "a b"):
            memory.scope(user, agent=agent).push_many([f"I like food{n}" for n in (2, 1)])
    due_work.fire(harness.parts)
    memory.drain()

    with harness.parts.database.tenant("default") as connection:
        whole = digest(connection, at_once=len(users) * 2)
        assert {digest(connection, at_once=some) for some in (1, 2, 5)} == {whole}
        assert len({digest(connection, Scope("default", user, "a").id) for user in users}) == len(users)


def _believed(parts: wiring.Parts, scope: Scope) -> str:
    """The digest without the name of the tenant: the facts with all their times and sources."""
    with parts.database.tenant(scope.tenant) as connection:
        ledger, table = stored_rebuilt(connection, scope.id)
        assert ledger == table
        rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scopes": [scope.id]})
        return repr(sorted(str(tuple(row)[1:]) for row in rows))
