"""A process does not read an episode again while its stored row is unchanged."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from slowwave.core.blocks import episode_rows
from slowwave.core.recall.scoring import Weights
from slowwave.domain.scope import Scope
from slowwave.store.blocks import packing
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall import episode_candidates
from slowwave.store.recall.recall import Memories
from tests.conftest import NOON
from tests.contract.blocks.harness import talk, tell
from tests.contract.harness import Harness


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The positions of the episodes that are read from the database."""
    positions: list[int] = []

    def heard(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> list[Any]:
        positions.extend(parameters["positions"])
        return execute_binary(connection, statement, parameters)

    monkeypatch.setattr(episode_candidates, "execute_binary", heard)
    BLOCK_CACHE.forget()
    yield positions
    BLOCK_CACHE.forget()


def found(harness: Harness, scope: Scope) -> list[int]:
    """Return the positions of the episodes that may answer a question."""
    vector = harness.parts.embedder.embed(["the cello"])[0]
    with Memories(harness.parts.database).reading(scope.tenant) as memories:
        candidates = memories.candidates(
            [scope.id], "the cello", vector, space=harness.parts.embedder.space, most=40,
            now=NOON + timedelta(days=900), weights=Weights(),
        )  # fmt: skip
    return [one.position for one in candidates if one.kind == "episode"]


def test_a_known_episode_is_not_read_again_after_a_push(harness: Harness, scope: Scope, read: list[int]) -> None:
    tell(harness, scope, talk(700))
    first = found(harness, scope)
    assert sorted(read) == sorted(first)
    read.clear()

    assert found(harness, scope) == first
    assert read == []

    tell(harness, scope, talk(1, start=701))
    later = found(harness, scope)
    assert set(later) & set(range(1, 513))
    assert {position for position in read if position <= 512} <= set(later) - set(first)


def test_a_deleted_episode_leaves_the_cache(harness: Harness, scope: Scope, read: list[int]) -> None:
    tell(harness, scope, talk(700))
    first = found(harness, scope)
    packed, tail = next(at for at in first if at <= 512), next(at for at in first if at > 512)

    for gone in (packed, tail):
        read.clear()
        harness.rows("DELETE FROM episode_vectors WHERE position = %s", gone)
        harness.rows("DELETE FROM episodes WHERE position = %s", gone)
        with harness.parts.database.tenant(scope.tenant) as connection:
            packing.erase(connection, scope.id, [gone])

        later = found(harness, scope)
        assert gone not in later
        assert set(read) >= {at for at in later if at > 512}


def test_a_full_episode_cache_is_emptied(
    harness: Harness, scope: Scope, read: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episode_rows, "MOST_ROWS", 10)
    tell(harness, scope, talk(700))
    first = found(harness, scope)
    read.clear()

    assert found(harness, scope) == first
    assert sorted(read) == sorted(first)
