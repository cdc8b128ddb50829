"""An acknowledged episode is stored once, at a gapless position, however many push at once."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, WINDOWED
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict
from slowwave.store import packs as registry
from slowwave.store.packs import PackEntry
from tests.contract.harness import Harness, at_once, somebody


@pytest.mark.parametrize("seed", range(4))
def test_positions_are_gapless_and_keys_are_stored_once_under_concurrent_writers(harness: Harness, seed: int) -> None:
    scopes = [somebody() for _ in range(3)]
    acknowledged: list[tuple[Scope, Receipt]] = []

    def write(dice: random.Random) -> None:
        for _ in range(12):
            scope = dice.choice(scopes)
            items = [_episode(dice.randrange(60)) for _ in range(dice.randint(1, 5))]
            acknowledged.extend((scope, receipt) for receipt in harness.parts.push(scope, items))

    assert at_once([lambda n=n: write(random.Random(seed * 10 + n)) for n in range(6)]) == [None] * 6  # type: ignore[misc]

    for scope in scopes:
        receipts = [receipt for each, receipt in acknowledged if each == scope]
        stored = harness.rows("SELECT key, position FROM episodes WHERE scope = %s ORDER BY position", scope.id)
        assert [position for _, position in stored] == list(range(1, len(stored) + 1))
        assert {(receipt.key, receipt.position) for receipt in receipts} == set(stored)
        first = Counter(receipt.key for receipt in receipts if not receipt.repeated)
        assert first == Counter(key for key, _ in stored)
        assert harness.value("SELECT head FROM scope_heads WHERE scope = %s", scope.id) == len(stored)


def test_a_known_key_with_other_content_is_refused_and_its_neighbours_stored(harness: Harness, scope: Scope) -> None:
    harness.parts.push(scope, [_episode(1)])

    others = [Episode(content="something else", key="k1"), Episode(content="I like food1", key="k1", role="tool")]
    *refused, new = harness.parts.push(scope, [*others, _episode(2)])

    assert [(one.state, type(one.error), one.position) for one in refused] == [("refused", Conflict, 1)] * 2
    assert (new.state, new.position) == ("stored", 2)
    assert harness.rows("SELECT content FROM episodes WHERE key = 'k1'") == [("I like food1",)]


@pytest.mark.parametrize("kept", [True, False])
def test_a_commit_without_an_answer_is_resolved_by_key(harness: Harness, scope: Scope, kept: bool) -> None:
    harness.parts.push(scope, [_episode(0)])
    lost = _lose_next_commit(harness, kept=kept)

    (receipt,) = harness.parts.push(scope, [_episode(1)])

    assert lost == [True]
    assert (receipt.state, receipt.position, receipt.repeated) == ("stored", 2, kept)
    assert harness.rows("SELECT position, key FROM episodes ORDER BY position") == [(1, "k0"), (2, "k1")]


def test_a_pack_added_while_scopes_are_created_gives_each_scope_a_watermark(harness: Harness) -> None:
    scopes = [somebody() for _ in range(40)]
    packs = [PackEntry(f"pack{number}", CONSOLIDATE, 1, b"digest") for number in range(10)]

    def bear(some: Sequence[Scope]) -> None:
        for scope in some:
            harness.parts.push(scope, [_episode(1), _episode(2)])

    def add() -> None:
        for number in range(1, 11):
            with harness.parts.database.dispatch() as connection:
                registry.register(connection, packs[:number], [])

    assert at_once([lambda: bear(scopes[::2]), lambda: bear(scopes[1::2]), add]) == [None] * 3

    missing = harness.rows(
        "SELECT h.scope, p.pack FROM scope_heads h CROSS JOIN packs p "
        "WHERE p.job = ANY(%s) "
        "AND NOT EXISTS (SELECT FROM watermarks w WHERE w.scope = h.scope AND w.pack = p.pack)",
        list(WINDOWED),
    )
    assert missing == []
    strange = harness.rows("SELECT scope, pack, position FROM watermarks WHERE position NOT IN (0, 2)")
    assert strange == []  # a pack starts at a scope's birth or at its head, never in between


def test_a_new_pack_starts_at_the_head_and_a_new_version_keeps_its_watermark(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    harness.drain()
    harness.parts.push(scope, [_episode(6)])

    with harness.parts.database.dispatch() as connection:
        entries = [PackEntry("everyday", CONSOLIDATE, 2, b"other"), PackEntry("late", CONSOLIDATE, 1, b"late")]
        registry.register(connection, entries, [])

    assert harness.watermark(scope, "everyday") == 5
    assert harness.watermark(scope, "late") == 6


def _episode(number: int) -> Episode:
    return Episode(content=f"I like food{number}", key=f"k{number}")


def _lose_next_commit(harness: Harness, *, kept: bool) -> list[bool]:
    """Break the connection at the next commit: after it, or before."""
    lost: list[bool] = []
    engine = harness.parts.database._app

    def breaking(connection: Any) -> None:
        if lost:
            return
        lost.append(True)
        raw = connection.connection.driver_connection
        if kept:
            raw.commit()
        raw.close()
        raise psycopg.OperationalError("the connection was lost")

    event.listen(engine, "commit", breaking)
    return lost
