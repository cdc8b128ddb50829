"""Graph statements read only the rows that they touch, however many entities a user has."""

import uuid
from collections.abc import Callable
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
from tests.databases import copied, opened
from tests.module_database import harness, parts, superuser, url
from tests.plans import reads

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


NEW = uuid.UUID(int=9)
NEWEST = {"positions": [2**63 - 1], "times": [datetime(9999, 1, 1, tzinfo=UTC)], "most": 5, "archived": False}
WORDING = {"proper": None, "common": "(?<!\\w)(?:thing\\s+7)(?!\\w)", "mine": None, "facts": 100}
FEW_RELATIONS = {"relations": ["likes"], "sorts": ["person"]}
CLAIM = {"relations": ["likes"], "kinds": [None], "more": [0], "run": 1, "at": datetime(2026, 1, 1, tzinfo=UTC)}
PLANS: dict[str, tuple[str, Callable[[Scope, uuid.UUID], dict[str, Any]], set[str], int]] = {
    "one hop from a hub reads only its heaviest edges": (
        "graph/neighbours", lambda hub, user: {"scopes": [hub.id], "entities": [user], "at": None,
            "most": MOST_A_NODE, "edges": MOST_EDGES, "by_hand": "x"},
        {"edges_from", "entities_pkey"}, 5 * MOST_A_NODE,
    ),
    "a walk from a hub reads only its heaviest edges": (
        "graph/along", lambda hub, user: {"scopes": [hub.id], "entities": [user], "relations": ["lives_in"],
            "at": None, "others": MOST_NAMES, "looked_at": 500, "most": MOST_A_NODE, "any": MOST_OF_ANY},
        {"edges_from", "edges_about", "edges_to", "entities_same"}, 500 + 5 * MOST_OF_ANY,
    ),
    "a hub is described by its weightiest facts alone": (
        "graph/nodes", lambda hub, user: {"scopes": [hub.id], "entities": [user], "texts": TEXTS,
            "looked_at": LOOKED_AT, **FEW_RELATIONS},
        {"edges_from", "edges_to", "edges_about"}, 5 * LOOKED_AT,
    ),
    "a preview of a hub reads only names": (
        "graph/known", lambda hub, user: {"scopes": [hub.id], "entities": [user]},
        {"entities_pkey", "entities_same"}, 2,
    ),
    "mentions are found by facts from the newest turn on": (
        "queries/mentions", lambda hub, _: {"of": [hub.id], "entities": [entity_id(hub.id, "thing 7")],
            "scopes": [hub.id], "every": False, **NEWEST, **WORDING},
        {"edges_from", "edges_about", "edges_to", "deltas_confirming", "delta_sources_pkey"}, 5,
    ),
    "the names of an entity are read by keys": (
        "graph/names/of", lambda hub, user: {"scopes": [hub.id], "entities": [user]},
        {"entities_pkey", "entities_same"}, CROWD,
    ),
    "a run reads and writes only the touched edges": (
        "graph/project", lambda hub, user: {"scope": hub.id, "facts": [NEW], "sources": [user], "targets": [user],
            "touched": [NEW], **CLAIM},
        {"edges_pkey", "facts_of_delta", "graph_versions_pkey"}, 10,
    ),
    "aliases are resolved among connected names only": (
        "graph/names/aliases", lambda hub, user: {"scope": hub.id, "entities": [user]},
        {"edges_alias_of", "edges_alias"}, 10,
    ),
    "a new name is compared only with agreeing names": (
        "graph/names/agreeing", lambda hub, _: {"scope": hub.id, "space": 1,
            "entities": [entity_id(hub.id, "thing 7")]},
        {"entities_spelled"}, 10,
    ),
    "the newest version is read from the end": (
        "graph/versions", lambda hub, _: {"scope": hub.id, "most": 1}, {"graph_versions_pkey"}, CROWD,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "indexes", "most"), PLANS.values(), ids=PLANS)
def test_a_statement_reads_what_it_touches(
    hub: Scope, url: str, name: str, asked: Callable[[Scope, uuid.UUID], dict[str, Any]], indexes: set[str], most: int
) -> None:
    read = reads(url, name, tenant=hub.tenant, **asked(hub, entity_id(hub.id, "user")))

    assert indexes <= read.by()
    assert read.rows(*GRAPH) <= most


def test_a_whole_graph_is_read_in_a_few_passes_without_nested_loops(hub: Scope, url: str) -> None:
    bounds = {"most": CROWD, "texts": TEXTS, "looked_at": LOOKED_AT, **FEW_RELATIONS}
    without = f"{url}&options=-cenable_nestloop%3Doff"

    assert reads(without, "graph/whole", tenant=hub.tenant, scope=hub.id, **bounds).rows(*GRAPH) <= 4 * CROWD


def test_names_are_looked_up_one_by_one(hub: Scope, url: str) -> None:
    names = [entity_id(hub.id, f"thing {number}") for number in range(5)]
    read = reads(url, "graph/names/known", tenant=hub.tenant, scopes=[hub.id] * 5, entities=names)

    assert (read.by() - {"Function Scan"}, read.rows(*GRAPH)) == ({"entities_pkey"}, 4)


def changed(url: str, superuser: psycopg.Connection[Any], scope: Scope, many: int) -> list[tuple[str, str, int]]:
    """Return the scans of a run that confirms *many* facts, adds one, and closes *many* versions."""
    known = superuser.execute("SELECT version, fact FROM facts ORDER BY version LIMIT %s", (many,)).fetchall()
    versions, facts = (list(column) for column in zip(*known, strict=True))
    user, new = entity_id(scope.id, "user"), uuid.uuid4()
    projected = reads(
        url, "graph/project", tenant=scope.tenant, scope=scope.id, facts=[new], sources=[user],
        relations=["likes"], targets=[entity_id(scope.id, "thing 7")], kinds=[None], touched=[new, *facts],
        more=[0, *[1] * many], run=1, at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    closed = reads(
        url, "beliefs/apply_close", tenant=scope.tenant, scope=scope.id, versions=versions,
        at=[datetime(2100, 1, 1, tzinfo=UTC)] * many,
    )  # fmt: skip
    return [scan for scan in (*projected.scans, *closed.scans) if scan[0] in {*GRAPH, "facts"}]


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


def told_of(superuser: psycopg.Connection[Any], hub: Scope) -> list[uuid.UUID]:
    """Return five facts of a hub."""
    asked = "SELECT fact FROM facts WHERE scope = %s ORDER BY fact LIMIT 5"
    return [fact for (fact,) in superuser.execute(asked, (hub.id,))]


def test_the_query_of_schematic_facts_reads_the_edges_of_the_given_facts_only(
    hub: Scope, url: str, superuser: psycopg.Connection[Any]
) -> None:
    told = {"scopes": [hub.id] * 5, "facts": told_of(superuser, hub)}
    read = reads(url, "graph/schematic", tenant=hub.tenant, least=SCHEMATIC_FREQUENCY, **told)

    assert {"edges_pkey", "entities_pkey"} <= read.by()
    assert 5 <= read.rows(*GRAPH) <= 20


def test_tenses_are_read_only_for_the_given_facts(hub: Scope, url: str, superuser: psycopg.Connection[Any]) -> None:
    told: dict[str, Any] = {"scopes": [hub.id] * 5, "facts": told_of(superuser, hub), "at": None}
    read = reads(url, "recall/tenses", tenant=hub.tenant, **told)

    assert "facts_of_delta" in read.by()
    assert read.rows("facts") == 5, read


def test_the_current_and_the_target_space_of_a_scope_are_read_by_keys(
    hub: Scope, url: str, superuser: psycopg.Connection[Any]
) -> None:
    tables = ("fact_vectors", "episode_vectors", "entity_vectors", "embedding_moves")
    each: dict[str, dict[str, Any]] = {
        "current_spaces": {"scopes": [hub.id]}, "moving": {"scope": hub.id, "pack": pack_of(PREPARE)},
    }  # fmt: skip
    superuser.execute(f"ANALYZE {', '.join(tables)}")
    for name, parameters in each.items():
        found = reads(url, f"reembed/{name}", tenant=hub.tenant, **parameters)
        read = [(index, rows) for table, index, rows in found.scans if table in tables]
        assert read, name
        assert all(rows <= 1 for _, rows in read), (name, found)
