"""How the statements of blocks are run in a crowd: each by its keys, and no more than it needs."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, event

from slowwave.core.recall.scoring import Weights
from slowwave.domain.scope import Scope
from slowwave.store.blocks import road
from slowwave.store.recall.recall import Memories
from slowwave.store.statements import sql
from tests.contract.blocks.filled import packed_early, talk, tell
from tests.contract.harness import Harness
from tests.plans import touched

__all__ = ["packed_early"]

pytestmark = pytest.mark.usefixtures("packed_early")

SPACE = {"space": "model@1", "dimensions": 256}


@pytest.fixture
def crowd(harness: Harness) -> uuid.UUID:
    """A scope of 20 blocks among 300 like it, of one tenant, with as many conversations."""
    harness.rows(
        "INSERT INTO word_blocks (scope, block, tenant, received, occurred, sessions, roles, lengths, words, starts, "
        "docs) SELECT md5(s::text)::uuid, b, 'default', '', '', '', '', '', '', '', '' "
        "FROM generate_series(1, 300) AS s, generate_series(0, 19) AS b"
    )
    harness.rows(
        "INSERT INTO vector_blocks (scope, block, space, tenant, codes) "
        "SELECT scope, block, 1, tenant, '' FROM word_blocks"
    )
    harness.rows(
        "INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, archived) "
        "SELECT scope, 's' || block, tenant, slowwave_now(), slowwave_now(), 1, slowwave_now() FROM word_blocks"
    )
    harness.rows("ANALYZE word_blocks")
    harness.rows("ANALYZE vector_blocks")
    harness.rows("ANALYZE conversations")
    found: uuid.UUID = harness.value("SELECT md5('7')::uuid")
    return found


def test_blocks_are_read_by_their_keys(harness: Harness, crowd: uuid.UUID) -> None:
    asked: dict[str, dict[str, Any]] = {
        "read": {"scopes": [crowd], "firsts": [15], **SPACE},
        "editions": {"scopes": [crowd], "lasts": [19], **SPACE},
        "missing": {"scope": crowd, "space": 1, "complete": 25, "late": [3], "most": 64},
        "packed": {"scope": crowd, "blocks": [1, 2]},
        "asked": {"scopes": [crowd], "archived": False},
    }
    for name, parameters in asked.items():
        found = touched(harness.parts.url, sql(f"blocks/{name}"), **parameters)
        read = {table: index for table, index, _ in found if table in ("word_blocks", "vector_blocks", "conversations")}
        assert read, name
        assert "Seq Scan" not in read.values(), (name, found)
        assert max(rows for *_, rows in found) <= 25, (name, found)


def test_what_is_packed_is_gathered_by_position(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(1100))
    harness.rows("ANALYZE episodes")
    harness.rows(
        "INSERT INTO episode_vectors "
        "SELECT gen_random_uuid(), g, 1, 'default', '[1]' FROM generate_series(1, 20000) AS g"
    )
    harness.rows("ANALYZE episode_vectors")

    found = touched(harness.parts.url, sql("blocks/gather"), scope=scope.id, space=1, lo=257, hi=512)

    assert sum(rows for table, _, rows in found if table == "episode_vectors") == 256, found
    assert sum(rows for table, _, rows in found if table.startswith("episodes_")) == 256, found


@pytest.fixture
def asked(harness: Harness) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Every statement that is put to the database, with its parameters."""
    said: list[tuple[str, dict[str, Any]]] = []

    def heard(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        said.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", heard)
    yield said
    event.remove(Engine, "before_cursor_execute", heard)


def test_of_a_packed_scope_only_what_was_chosen_is_looked_at(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch, asked: Sequence[tuple[str, dict[str, Any]]]
) -> None:
    monkeypatch.setattr(road, "LEAST", 5)
    tell(harness, scope, talk(1100))
    harness.rows("ANALYZE")
    (vector,) = harness.parts.embedder.embed(["the cello"])
    with Memories(harness.parts.database).reading(scope.tenant) as memories:
        memories.candidates(
            [scope.id], "the cello", vector,
            space=harness.parts.embedder.space, most=5, now=None, weights=Weights(),
        )  # fmt: skip

    statement, parameters = next(each for each in asked if each[0] == sql("recall/candidates"))
    found = touched(harness.parts.url, statement, **{**parameters, "vector": str(vector.tolist())})

    many = parameters["chosen"].count(",") + 1
    assert many < 60
    for tables, again in (("episode_vectors", 0), ("episodes_", parameters["most"])):  # of the best the ends are read
        read = sum(rows for table, _, rows in found if table.startswith(tables))
        assert read == many + 1100 % 256 + again, (tables, found)
    assert not any(index == "Seq Scan" and rows for table, index, rows in found if table.startswith("episode")), found
