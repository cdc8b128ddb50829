"""A walk, a look for names and a run read what they touch of a graph, however many entities a user has."""

import uuid
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.bench.sample_data import fill
from slowwave.core.graph.edges import entity_id
from slowwave.core.graph.mentions import TEXTS
from slowwave.domain.graph import SCHEMATIC_FREQUENCY
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import MemoryScope
from slowwave.store.graph.queries import LOOKED_AT, MOST_A_NODE, MOST_EDGES, MOST_NAMES, MOST_OF_ANY
from slowwave.store.statements import sql
from tests.databases import copied, opened
from tests.module_database import harness, parts, superuser, url
from tests.plans import touched

__all__ = ["harness", "parts", "superuser", "url"]

CROWD = 3_000
GRAPH = ("edges", "entities", "entity_vectors", "graph_versions")


@pytest.fixture(scope="module")
def hub(parts: wiring.Parts, superuser: psycopg.Connection[Any]) -> Scope:
    """A user who likes three thousand things."""
    (scope,) = fill(parts, scopes=1, facts=CROWD)
    MemoryScope(parts, scope).graph.rebuild()
    superuser.execute("ANALYZE edges, entities, entity_vectors, facts, standing")
    return scope


def asked(url: str, hub: Scope, name: str, **parameters: Any) -> tuple[set[str], int]:
    """Return the indexes by which a statement read the graph, and how many rows of it it looked at."""
    found = touched(url, sql(name if "queries/" in name else f"graph/{name}"), tenant=hub.tenant, **parameters)
    return {index for _, index, _ in found}, sum(rows for table, _, rows in found if table in GRAPH)


def test_one_hop_from_a_hub_reads_only_its_heaviest_edges(hub: Scope, url: str) -> None:
    where = {"scopes": [hub.id], "entities": [entity_id(hub.id, "user")]}
    indexes, rows = asked(url, hub, "neighbours", at=None, most=MOST_A_NODE, edges=MOST_EDGES, by_hand="x", **where)

    assert {"edges_from", "entities_pkey"} <= indexes
    assert rows <= 5 * MOST_A_NODE


def test_a_walk_from_a_hub_reads_only_its_heaviest_edges(hub: Scope, url: str) -> None:
    where = {"scopes": [hub.id], "entities": [entity_id(hub.id, "user")], "relations": ["lives_in"], "at": None}
    bounds = {"others": MOST_NAMES, "looked_at": 500, "most": MOST_A_NODE, "any": MOST_OF_ANY}
    indexes, rows = asked(url, hub, "along", **where, **bounds)

    assert {"edges_from", "edges_about", "edges_to", "entities_same"} <= indexes
    assert rows <= 500 + 5 * MOST_OF_ANY


def test_a_hub_is_described_by_its_weightiest_facts_alone(hub: Scope, url: str) -> None:
    where = {"scopes": [hub.id], "entities": [entity_id(hub.id, "user")]}
    indexes, rows = asked(
        url, hub, "nodes", texts=TEXTS, looked_at=LOOKED_AT, relations=["likes"], sorts=["person"], **where
    )

    assert {"edges_from", "edges_to", "edges_about"} <= indexes
    assert rows <= 5 * LOOKED_AT


def test_a_preview_of_a_hub_reads_only_names(hub: Scope, url: str) -> None:
    indexes, rows = asked(url, hub, "known", scopes=[hub.id], entities=[entity_id(hub.id, "user")])

    assert {"entities_pkey", "entities_same"} <= indexes
    assert rows <= 2


def test_a_whole_graph_is_read_in_a_few_passes_without_nested_loops(hub: Scope, url: str) -> None:
    bounds = {"most": CROWD, "texts": TEXTS, "looked_at": LOOKED_AT, "relations": ["likes"], "sorts": ["person"]}
    _, rows = asked(f"{url}&options=-cenable_nestloop%3Doff", hub, "whole", scope=hub.id, **bounds)

    assert rows <= 4 * CROWD


def test_mentions_are_found_by_facts_from_the_newest_turn_on(hub: Scope, url: str) -> None:
    where = {"of": [hub.id], "entities": [entity_id(hub.id, "thing 7")], "scopes": [hub.id]}
    page = {"positions": [2**63 - 1], "times": [datetime(9999, 1, 1, tzinfo=UTC)], "most": 5, "archived": False}
    wording = {"proper": None, "common": "(?<!\\w)(?:thing\\s+7)(?!\\w)", "mine": None, "facts": 100}
    indexes, rows = asked(url, hub, "queries/mentions", **where, **page, **wording)
    names, _ = asked(url, hub, "names/of", scopes=[hub.id], entities=[entity_id(hub.id, "user")])

    assert {"edges_from", "edges_about", "edges_to", "deltas_confirming", "delta_sources_pkey"} <= indexes
    assert rows <= 5
    assert {"entities_pkey", "entities_same"} <= names


def test_names_are_looked_up_one_by_one(hub: Scope, url: str) -> None:
    names = [entity_id(hub.id, f"thing {number}") for number in range(5)]
    indexes, rows = asked(url, hub, "names/known", scopes=[hub.id] * 5, entities=names)

    assert (indexes - {"Function Scan"}, rows) == ({"entities_pkey"}, 4)


def test_a_run_reads_and_writes_only_the_touched_edges(hub: Scope, url: str) -> None:
    user, new = entity_id(hub.id, "user"), uuid.uuid4()
    indexes, rows = asked(
        url, hub, "project", scope=hub.id, facts=[new], sources=[user], relations=["likes"], targets=[user],
        kinds=[None], touched=[new], more=[0], run=1, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip

    assert {"edges_pkey", "facts_of_delta", "graph_versions_pkey"} <= indexes
    assert rows <= 10


def changed(url: str, superuser: psycopg.Connection[Any], scope: Scope, many: int) -> list[tuple[str, str, int]]:
    """Return what is read where a run confirms so *many* facts, makes one, and closes the versions of as many."""
    known = superuser.execute("SELECT version, fact FROM facts ORDER BY version LIMIT %s", (many,)).fetchall()
    versions, facts = (list(column) for column in zip(*known, strict=True))
    user, new = entity_id(scope.id, "user"), uuid.uuid4()
    projected = touched(
        url, sql("graph/project"), tenant=scope.tenant, scope=scope.id, facts=[new], sources=[user],
        relations=["likes"], targets=[entity_id(scope.id, "thing 7")], kinds=[None], touched=[new, *facts],
        more=[0, *[1] * many], run=1, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    closed = touched(
        url, sql("beliefs/apply_close"), tenant=scope.tenant, scope=scope.id, versions=versions,
        at=[datetime(2100, 1, 1, tzinfo=UTC)] * many,
    )  # fmt: skip
    return [scan for scan in (*projected, *closed) if scan[0] in {*GRAPH, "facts"}]


def test_a_run_reads_and_writes_few_rows_without_planner_statistics(
    postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]
) -> None:
    with copied(postgres_server, template, "uncounted") as name, opened(postgres_server, name, heavy_parts) as parts:
        (scope,) = fill(parts, scopes=1, facts=CROWD)
        MemoryScope(parts, scope).graph.rebuild()
        with psycopg.connect(postgres_server.url("postgres", name), autocommit=True) as superuser:
            found = changed(postgres_server.url(database=name), superuser, scope, 20)

    assert max(rows for _, _, rows in found) <= 22, found


def test_a_run_reads_and_writes_few_rows_for_hundreds_of_facts(
    hub: Scope, superuser: psycopg.Connection[Any], url: str
) -> None:
    found = changed(url, superuser, hub, 500)

    assert max(rows for _, _, rows in found) <= 502, found


def test_aliases_are_resolved_among_connected_names_only(hub: Scope, url: str) -> None:
    indexes, rows = asked(url, hub, "names/aliases", scope=hub.id, entities=[entity_id(hub.id, "user")])

    assert {"edges_alias_of", "edges_alias"} <= indexes
    assert rows <= 10


def test_a_new_name_is_compared_only_with_agreeing_names(hub: Scope, url: str) -> None:
    new = [entity_id(hub.id, "thing 7")]
    indexes, rows = asked(url, hub, "names/agreeing", scope=hub.id, space=1, entities=new)

    assert "entities_spelled" in indexes
    assert rows <= 10


def test_the_newest_version_is_read_from_the_end(hub: Scope, url: str) -> None:
    indexes, _ = asked(url, hub, "versions", scope=hub.id, most=1)

    assert "graph_versions_pkey" in indexes


def told_of(superuser: psycopg.Connection[Any], hub: Scope) -> list[uuid.UUID]:
    """Return five facts of a hub."""
    asked = "SELECT fact FROM facts WHERE scope = %s ORDER BY fact LIMIT 5"
    return [fact for (fact,) in superuser.execute(asked, (hub.id,))]


def test_the_query_of_schematic_facts_reads_the_edges_of_the_given_facts_only(
    hub: Scope, url: str, superuser: psycopg.Connection[Any]
) -> None:
    told = {"scopes": [hub.id] * 5, "facts": told_of(superuser, hub)}
    indexes, rows = asked(url, hub, "schematic", least=SCHEMATIC_FREQUENCY, **told)

    assert {"edges_pkey", "entities_pkey"} <= indexes
    assert 5 <= rows <= 20


def test_tenses_are_read_only_for_the_given_facts(hub: Scope, url: str, superuser: psycopg.Connection[Any]) -> None:
    told: dict[str, Any] = {"scopes": [hub.id] * 5, "facts": told_of(superuser, hub), "at": None}
    found = touched(url, sql("recall/tenses"), tenant=hub.tenant, **told)

    assert "facts_of_delta" in {index for _, index, _ in found}
    assert sum(rows for table, _, rows in found if table == "facts") == 5, found


def test_the_current_and_the_target_space_of_a_scope_are_read_by_keys(
    hub: Scope, url: str, superuser: psycopg.Connection[Any]
) -> None:
    tables = ("fact_vectors", "episode_vectors", "entity_vectors", "embedding_moves")
    each: dict[str, dict[str, Any]] = {
        "current_spaces": {"scopes": [hub.id]}, "moving": {"scope": hub.id, "pack": pack_of(PREPARE)},
    }  # fmt: skip
    superuser.execute(f"ANALYZE {', '.join(tables)}")
    for name, parameters in each.items():
        found = touched(url, sql(f"reembed/{name}"), tenant=hub.tenant, **parameters)
        read = [(index, rows) for table, index, rows in found if table in tables]
        assert read, name
        assert all(rows <= 1 for _, rows in read), (name, found)
