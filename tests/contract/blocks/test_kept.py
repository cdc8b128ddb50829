"""Blocks that a process keeps: as long as they are stored as they were, and as long as there is room."""

import pytest

from slowwave.core.blocks.laid import Laid
from slowwave.domain.scope import Scope
from slowwave.store.blocks import kept, packing
from slowwave.store.blocks.kept import Kept
from tests.contract.blocks.filled import packed_early, talk, tell
from tests.contract.harness import Harness, somebody

__all__ = ["packed_early"]

pytestmark = pytest.mark.usefixtures("packed_early")


@pytest.fixture
def keeping(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """A process that keeps blocks of any scope."""
    monkeypatch.setattr(kept, "KEPT_FROM", 1)
    return Kept()


def read(harness: Harness, keeping: Kept, *scopes: Scope) -> list[Laid]:
    """Return the blocks of *scopes* as the process that is *keeping* has them."""
    space = (harness.parts.embedder.space, harness.parts.embedder.dimensions)
    with harness.parts.database.tenant("default") as connection:
        found = keeping.read(connection, [scope.id for scope in scopes], space)
    return [found[scope.id] for scope in scopes if scope.id in found]


def test_what_is_kept_is_read_once_and_what_was_packed_since_joins_it(
    harness: Harness, scope: Scope, keeping: Kept
) -> None:
    tell(harness, scope, talk(300))
    (first,), (again,) = read(harness, keeping, scope), read(harness, keeping, scope)
    tell(harness, scope, talk(300, start=301))

    (grown,), (anew,) = read(harness, keeping, scope), read(harness, Kept(), scope)

    assert again is first
    assert list(grown.words.blocks) == [0, 1]
    assert grown.digest == anew.digest != first.digest
    assert all((grown.words.columns[name] == column).all() for name, column in anew.words.columns.items())
    assert (grown.codes.signs == anew.codes.signs).all()
    assert [sorted(grown.words.positions(places)) for places in grown.words.having(["cello", "harbour"])] == [
        sorted(anew.words.positions(places)) for places in anew.words.having(["cello", "harbour"])
    ]


def test_what_was_packed_anew_is_let_go_of_at_the_next_question(harness: Harness, scope: Scope, keeping: Kept) -> None:
    tell(harness, scope, talk(600))
    (before,) = read(harness, keeping, scope)
    with harness.parts.database.tenant("default") as connection:
        packing.erase(connection, scope.id, [300])

    (after,) = read(harness, keeping, scope)

    assert after.digest != before.digest
    assert after.digest == read(harness, Kept(), scope)[0].digest


def test_of_blocks_that_are_gone_nothing_is_kept(harness: Harness, scope: Scope, keeping: Kept) -> None:
    tell(harness, scope, talk(300))
    read(harness, keeping, scope)
    harness.rows("DELETE FROM word_blocks")

    assert read(harness, keeping, scope) == []


def test_where_room_is_short_the_scope_asked_least_recently_is_let_go(
    harness: Harness, scope: Scope, keeping: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = somebody()
    tell(harness, scope, talk(300))
    tell(harness, other, talk(300))
    (mine,), (theirs,) = read(harness, keeping, scope), read(harness, keeping, other)
    (again,) = read(harness, keeping, scope)
    assert again is mine

    monkeypatch.setattr(kept, "KEPT_BYTES", mine.nbytes)
    read(harness, keeping, scope)

    assert read(harness, keeping, scope)[0] is mine
    assert read(harness, keeping, other)[0] is not theirs


def test_another_tenant_gets_nothing_of_what_is_kept(harness: Harness, scope: Scope, keeping: Kept) -> None:
    tell(harness, scope, talk(300))
    read(harness, keeping, scope)

    with harness.parts.database.tenant("globex") as connection:
        space = (harness.parts.embedder.space, harness.parts.embedder.dimensions)
        assert keeping.read(connection, [scope.id], space) == {}
