"""Each statement of a move reads only the moving scope, by key."""

import uuid
from typing import Any

import pytest

from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.scope import Scope
from slowwave.store.statements import sql
from tests.contract.harness import Harness
from tests.module_database import harness, scope
from tests.plans import touched

__all__ = ["harness", "scope"]

OTHERS, EACH = 100, 40
VECTORS = ("episode_vectors", "fact_vectors", "entity_vectors", "vector_blocks")
NOTES = {"strategies": "strategy", "goals": "goal", "consensus": "record"}
BIG = (*VECTORS, *NOTES, "embedding_moves", "facts", "entities")


@pytest.fixture(scope="module")
def mover(harness: Harness, scope: Scope) -> Scope:
    """A scope that is moving, with forty vectors of each kind in its old space, among three hundred like it."""
    harness.told(scope, 3)
    harness.drain()
    harness.rows(
        "CREATE TEMPORARY TABLE crowd AS SELECT md5(n::text)::uuid AS scope FROM generate_series(1, %s) AS n", OTHERS
    )
    harness.rows("INSERT INTO crowd VALUES (%s)", scope.id)
    harness.rows("SET session_replication_role = replica")
    each = "FROM crowd CROSS JOIN generate_series(101, %s) AS n"
    harness.rows(
        f"INSERT INTO episode_vectors SELECT scope, n, 7, 'default', '[1]' {each}", 100 + EACH
    )  # no space of the scope's own
    for table in ("fact_vectors", "entity_vectors"):
        columns = "scope, fact, space, tenant, embedding" if table == "fact_vectors" else (
            "scope, entity, space, tenant, embedding"
        )  # fmt: skip
        harness.rows(
            f"INSERT INTO {table} ({columns}) SELECT scope, gen_random_uuid(), 7, 'default', '[1]' {each}", 100 + EACH
        )
    harness.rows(
        f"INSERT INTO vector_blocks (scope, block, space, tenant, codes) SELECT scope, n, 7, 'default', '' {each}",
        100 + EACH,
    )
    harness.rows("INSERT INTO embedding_moves (scope, tenant, space, toward) SELECT scope, 'default', 1, 7 FROM crowd")
    harness.rows("UPDATE embedding_moves SET toward = NULL WHERE scope <> %s", scope.id)
    harness.rows(
        "INSERT INTO embedding_moves (scope, tenant, space) "
        "SELECT gen_random_uuid(), 'default', 1 FROM generate_series(1, 3000)"
    )
    harness.rows("SET session_replication_role = origin")
    harness.rows("ANALYZE")
    return scope


def read(harness: Harness, name: str, **parameters: Any) -> dict[str, int]:
    """Return the number of rows of each large table that a statement read, without a scan of the table."""
    found = touched(harness.parts.url, sql(f"reembed/{name}"), **parameters)
    whole = [table for table, index, _ in found if table in BIG and index == "Seq Scan"]
    small = {table for table in whole if harness.value(f"SELECT count(*) FROM {table}") < 100}
    assert set(whole) <= small, (name, found)
    rows = dict.fromkeys(BIG, 0)
    for table, _, looked_at in found:
        if table in rows:
            rows[table] += looked_at
    return rows


def test_a_move_reads_and_writes_by_keys_and_in_the_scope_alone(harness: Harness, mover: Scope) -> None:
    some: list[Any] = [uuid.uuid4() for _ in range(3)]
    filled = {"scope": mover.id, "ids": some, "vectors": ["[1]", "[1]", "[1]"], "space": 7}
    asked: dict[str, tuple[int, dict[str, Any]]] = {
        "missing": (3 * EACH, {"scope": mover.id, "space": 7, "prepared": 3, "most": 500, "characters": 1000}),
        "has_old_vectors": (EACH + 3, {"scope": mover.id, "space": 7}),
        "delete_old_vectors": (
            30,
            {"scope": mover.id, "space": 1, "most": 10},
        ),  # each is looked at twice, and the 3 told ones are beside them
        "delete_zero_vectors": (EACH + 3, {"scope": mover.id, "space": 7}),
        "fill_facts": (0, filled),
        "fill_entities": (0, filled),
        "begin": (0, {"scopes": [mover.id], "spaces": [1], "target": 7}),
        "missing_records": (0, {"scope": mover.id, "space": 7}),
        "fill_records": (0, filled),
    }
    for name, (most, parameters) in asked.items():
        rows = read(harness, name, **parameters)
        assert max(rows.values()) <= most, (name, rows)


def test_the_query_of_target_spaces_reads_only_scopes_that_move(harness: Harness, mover: Scope) -> None:
    rows = read(harness, "target_spaces", tenant=mover.tenant, pack=pack_of(PREPARE))

    assert rows["embedding_moves"] == 1, rows
    assert rows["episode_vectors"] <= EACH + 3, rows
