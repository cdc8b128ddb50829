"""The statements of blocks read rows by key, and only the rows that they need."""

import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import Connection

from slowwave.core.blocks.codes import encoded_bytes
from slowwave.core.recall.scoring import Weights
from slowwave.domain.scope import Scope
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.recall import access_path, episode_candidates
from slowwave.store.recall.recall import Memories
from slowwave.store.statements import sql
from tests.contract.blocks.harness import talk, tell
from tests.contract.harness import Harness
from tests.plans import touched

Asked = list[tuple[str, dict[str, Any]]]
SPACE: dict[str, Any] = {"space": "model@1", "dimensions": 256}


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
    harness.rows("ANALYZE word_blocks, vector_blocks, conversations")
    found: uuid.UUID = harness.value("SELECT md5('7')::uuid")
    return found


def test_blocks_are_read_by_their_keys(harness: Harness, crowd: uuid.UUID) -> None:
    asked: dict[str, dict[str, Any]] = {
        "read": {"scopes": [crowd], "firsts": [15], **SPACE},
        "state": {
            "scopes": [crowd],
            "blocks": [19],
            "afters": [5120],
            "lasts": [5200],
            "now": None,
            "pack": "_prepare",
            **SPACE,
        },
        "vectors": {"scope": crowd, "lo": 257, "hi": 512, **SPACE},
        "versions": {"scopes": [crowd]},
        "facts": {"versions": [1, 2, 3], **SPACE},
        "meanings": {"of_scopes": [crowd], "facts": [uuid.UUID(int=1)], **SPACE},
        "../recall/fact_sources": {
            "of_scopes": [crowd],
            "facts": [uuid.UUID(int=1)],
            "unread": [True],
            "shelved": False,
        },
        "missing": {
            "scope": crowd,
            "space": 1,
            "code_bytes": encoded_bytes(256),
            "complete": 25,
            "late_blocks": [3],
            "most": 64,
        },
        "packed": {"scope": crowd, "blocks": [1, 2]},
        "tails": {"scopes": [crowd], "afters": [0], "lasts": [100], **SPACE},
        "../recall/archived_positions": {"scopes": [crowd], "archived": False},
    }
    for name, parameters in asked.items():
        found = touched(harness.parts.url, sql(f"blocks/{name}" if "/" not in name else name[3:]), **parameters)
        read = {table: index for table, index, _ in found if table in ("word_blocks", "vector_blocks", "conversations")}
        assert read or name not in ("read", "state", "missing", "packed", "../recall/archived_positions"), name
        assert "Seq Scan" not in read.values(), (name, found)
        assert max(rows for *_, rows in found) <= 25, (name, found)


def test_packing_gathers_rows_by_position(harness: Harness, scope: Scope) -> None:
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
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The statements that read the chosen rows, each with its parameters."""
    said: Asked = []

    def heard(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> Any:
        said.append((statement, dict(parameters)))
        return execute_binary(connection, statement, parameters)

    for asking in (access_path, episode_candidates):
        monkeypatch.setattr(asking, "execute_binary", heard)
    return said


def look_for_the_cello(harness: Harness, scope: Scope) -> str:
    """Gather the candidates of a question in a scope; return the vector of the question."""
    (vector,) = harness.parts.embedder.embed(["the cello"])
    with Memories(harness.parts.database).reading(scope.tenant) as memories:
        memories.candidates(
            [scope.id], "the cello", vector,
            space=harness.parts.embedder.space, most=5, now=None, weights=Weights(),
        )  # fmt: skip
    return str(vector.tolist())


@pytest.mark.usefixtures("near_sighted")
def test_a_recall_in_a_packed_scope_reads_only_the_chosen_rows(harness: Harness, scope: Scope, asked: Asked) -> None:
    tell(harness, scope, talk(1100))
    harness.rows("ANALYZE")
    vector = look_for_the_cello(harness, scope)

    for name, table in (("similarities", "episode_vectors"), ("episode_rows", "episodes_")):
        statement, parameters = next(each for each in asked if each[0] == sql(f"recall/{name}"))
        found = touched(harness.parts.url, statement, **{**parameters, "vector": vector})
        many = len(parameters["positions"])
        assert 5 <= many < 60
        assert sum(rows for one, _, rows in found if one.startswith(table)) == many, (table, found)
        assert not any(index == "Seq Scan" and rows for _, index, rows in found if rows > 1), found


@pytest.mark.usefixtures("near_sighted")
def test_a_second_read_loads_only_missing_rows(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    answered = iter([False, True])
    monkeypatch.setattr(access_path.BlockSearch, "suffices", lambda *_: next(answered))
    tell(harness, scope, talk(1100))
    look_for_the_cello(harness, scope)

    looks = [parameters["positions"] for statement, parameters in asked if statement == sql("recall/similarities")]
    assert len(looks) == 2
    assert len({position for look in looks for position in look}) == sum(map(len, looks))


def test_episodes_after_the_last_block_are_read_by_position(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(1100))
    harness.rows("ANALYZE")

    found = touched(harness.parts.url, sql("blocks/tail"), scope=scope.id, lo=1025, hi=1100, **SPACE)

    for table in ("episode_vectors", "episodes_"):
        assert sum(rows for one, _, rows in found if one.startswith(table)) in (0, 76), found


def test_no_table_is_searched_for_the_words_of_a_question(harness: Harness) -> None:
    found = touched(
        harness.parts.url, sql("recall/words"),
        question="the cello", most_words=62, forms=["the", "cello"], others=["violin"],
    )  # fmt: skip

    assert found == []
