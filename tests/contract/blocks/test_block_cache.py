"""The block cache of a process: a block stays while its stored row is unchanged and the cache has room."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from slowwave.core.blocks.scope_view import JoinedBlocks
from slowwave.core.blocks.words import NOWHERE, session_hash
from slowwave.domain.scope import Scope
from slowwave.store.blocks import block_cache, packing
from slowwave.store.blocks.block_cache import BlockCache, CachedScopes
from slowwave.store.recall import cached_facts
from slowwave.store.recall.cached_facts import FactCache
from tests.contract.blocks.harness import talk, tell
from tests.contract.harness import Harness, somebody


@pytest.fixture
def cache() -> BlockCache:
    """An empty block cache."""
    return BlockCache()


def same(one: JoinedBlocks, other: JoinedBlocks) -> bool:
    """Return whether both hold the same words, times, codes and vectors."""
    assert one.codes.exact is not None
    assert other.codes.exact is not None
    return (
        all(np.array_equal(column, other.words.columns[name]) for name, column in one.words.columns.items())
        and np.array_equal(one.codes.signs, other.codes.signs)
        and np.array_equal(one.codes.exact, other.codes.exact)
    )


def view(harness: Harness, cache: BlockCache, *scopes: Scope, tenant: str = "default") -> CachedScopes | None:
    """Return what a process with this cache reads of *scopes*, or nothing if they cannot be cached."""
    space = (harness.parts.embedder.space, harness.parts.embedder.dimensions)
    with harness.parts.database.tenant(tenant) as connection:
        return cache.read(connection, [scope.id for scope in scopes], space)


def read(harness: Harness, cache: BlockCache, scope: Scope) -> list[JoinedBlocks]:
    """Return the blocks of *scope* as a process with this cache has them."""
    found = view(harness, cache, scope)
    assert found is not None
    return list(found.laid.values())


def test_a_cached_block_is_read_once_and_a_new_one_is_added(harness: Harness, scope: Scope, cache: BlockCache) -> None:
    tell(harness, scope, talk(300))
    (first,), (again,) = read(harness, cache, scope), read(harness, cache, scope)
    tell(harness, scope, talk(300, start=301))

    (grown,), (anew,) = read(harness, cache, scope), read(harness, BlockCache(), scope)

    assert again is first
    assert list(grown.words.blocks) == [0, 1, 2]
    assert grown.digest == anew.digest != first.digest
    assert all((grown.words.columns[name] == column).all() for name, column in anew.words.columns.items())
    assert same(grown, anew)
    assert [sorted(grown.words.positions(places)) for places in grown.words.having(["cello", "harbour"])] == [
        sorted(anew.words.positions(places)) for places in anew.words.having(["cello", "harbour"])
    ]


def test_a_repacked_block_is_reloaded_at_the_next_question(harness: Harness, scope: Scope, cache: BlockCache) -> None:
    tell(harness, scope, talk(600))
    (before,) = read(harness, cache, scope)
    with harness.parts.database.tenant("default") as connection:
        packing.erase(connection, scope.id, [300])

    (after,) = read(harness, cache, scope)

    assert after.digest != before.digest
    assert after.digest == read(harness, BlockCache(), scope)[0].digest


def test_deleted_blocks_leave_the_cache(harness: Harness, scope: Scope, cache: BlockCache) -> None:
    tell(harness, scope, talk(300))
    read(harness, cache, scope)
    harness.rows("DELETE FROM word_blocks")

    (again,) = read(harness, cache, scope)

    assert again.editions == b""  # the process has packed the block itself
    assert same(again, read(harness, BlockCache(), scope)[0])
    harness.rows("DELETE FROM episode_vectors")
    harness.rows("DELETE FROM episodes")
    (nothing,) = read(harness, cache, scope)
    assert not (nothing.words.columns["received"] != NOWHERE).any()


def test_a_new_episode_joins_the_cache_at_once_and_its_vector_later(
    harness: Harness, scope: Scope, cache: BlockCache
) -> None:
    tell(harness, scope, talk(200))
    (before,) = read(harness, cache, scope)
    harness.parts.push(scope, talk(1, start=201))

    (stored,) = read(harness, cache, scope)
    harness.drain()
    (prepared,) = read(harness, cache, scope)

    assert [int((one.words.columns["received"] != NOWHERE).sum()) for one in (before, stored, prepared)] == [
        200, 201, 201
    ]  # fmt: skip
    assert [bool(np.isnan(one.codes.scales[200])) for one in (before, stored, prepared)] == [True, True, False]
    assert same(prepared, read(harness, BlockCache(), scope)[0])
    assert read(harness, cache, scope)[0] is prepared


def test_an_expired_conversation_leaves_the_cache_at_the_next_question(
    harness: Harness, scope: Scope, cache: BlockCache
) -> None:
    tell(harness, scope, talk(200))
    (before,) = read(harness, cache, scope)
    harness.rows("UPDATE conversations SET tombstoned = slowwave_now() WHERE session = 's3'")

    (after,) = read(harness, cache, scope)

    said = int((before.words.columns["sessions"] == session_hash("s3")).sum())
    assert said > 0
    assert not (after.words.columns["sessions"] == session_hash("s3")).any()
    assert same(after, read(harness, BlockCache(), scope)[0])


def test_a_recreated_scope_starts_with_an_empty_cache(harness: Harness, scope: Scope, cache: BlockCache) -> None:
    tell(harness, scope, talk(200))
    (before,) = read(harness, cache, scope)
    harness.rows("UPDATE scope_heads SET born = born + interval '1 second'")

    (after,) = read(harness, cache, scope)

    assert after is not before


def test_a_scope_with_too_many_unpacked_episodes_is_not_cached(
    harness: Harness, scope: Scope, cache: BlockCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_cache, "MOST_STALE", 40)
    tell(harness, scope, talk(300))

    assert view(harness, cache, scope) is None


def test_a_full_cache_evicts_the_least_recently_used_scope(
    harness: Harness, scope: Scope, cache: BlockCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = somebody()
    tell(harness, scope, talk(300))
    tell(harness, other, talk(300))
    (mine,), (theirs,) = read(harness, cache, scope), read(harness, cache, other)
    (again,) = read(harness, cache, scope)
    assert again is mine

    monkeypatch.setattr(
        block_cache, "CACHE_BYTES", int(1.6 * mine.nbytes)
    )  # a stored block, and the concatenation of both
    monkeypatch.setattr(block_cache, "SIZED_EVERY", 1)
    read(harness, cache, scope)

    assert read(harness, cache, scope)[0] is mine
    assert read(harness, cache, other)[0] is not theirs


def test_the_cache_of_facts_has_its_own_limit(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Any = FactCache()
    first, second = (("database", each.id, ("static", 256)) for each in (scope, somebody()))
    monkeypatch.setattr(cached_facts, "CACHE_BYTES", 10)

    for key in (first, second):
        cache._keep({key: SimpleNamespace(nbytes=6)})

    assert [*cache._scopes] == [second]


def test_another_tenant_gets_no_cached_data(harness: Harness, scope: Scope, cache: BlockCache) -> None:
    tell(harness, scope, talk(300))
    read(harness, cache, scope)

    found = view(harness, cache, scope, tenant="globex")
    assert found is not None
    assert (found.laid, found.editions) == ({}, {})
