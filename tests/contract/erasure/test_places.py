"""An erasure clears a planted row in each table with words, and the list of places with words is complete."""

import uuid
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from slowwave.domain.personal_data import TABLES
from slowwave.domain.scope import Scope
from slowwave.memory import Memory
from tests.catalog import Column, columns
from tests.contract.erasure.planting import WORDS, found, live
from tests.integration.store.rows import insert, row

MINE, THEIRS = Scope("default", "Plumkin", "helper"), Scope("theirs", "Plumkin", "helper")
CANARY = "Zwibberish"
FILLED = {"canaries", "episode_keys", "episodes", "model_calls", "quotas", "scope_heads", "webhooks"}
"""Tables with words that a push fills, tables whose rows contain only a user's name, and the table of no tenant."""


def plant(admin: psycopg.Connection, scope: Scope) -> None:
    """Plant a row of *scope* in every table with words; the canary is in each text column."""
    delta, call = uuid.uuid4(), 90 + len(scope.tenant)
    ids = {"scope": scope.id, "session": CANARY, "position": 1, "delta": delta, "request": f"r {scope.tenant}"}
    special: dict[str, dict[str, Any]] = {
        "deltas": {"id": delta, "fact": delta, "position": 1, "scope": scope.id},
        "delta_sources": {"delta": delta, "position": 1, "ordinal": 0, "episode": uuid.uuid4()},
        "facts": {"fact": delta, "belief": call},
        "tree_nodes": {"level": 1, "text": CANARY, "embedding": "[1]", "facts": [delta], "places": [0]},
        "promotions": {
            "target": scope.id,
            "source_scope": scope.id,
            "fact": delta,
            "source_fact": delta,
            "policy": f'{{"a": "{CANARY}"}}',
        },
        "edges": {"fact": delta},
        "model_requests": {"positions": [1], "quotes": [], "state": "answered"},
        "model_replies": {"call": call, "n": 0},
        "firings": {"at_window": f"session/{CANARY}"},
        "runs": {"lo": 1, "hi": 1, "finished": "now", "outcome": "ok", "error": CANARY},
        "model_summaries": {"about": f"session/{CANARY}"},
        "word_blocks": {"block": 0, "first_user": CANARY, "last_user": CANARY},
        "legal_holds": {"released": "now"},
        "undos": {"applied": "now"},
    }
    for table in ["deltas", *sorted(set(TABLES) - {"deltas", *FILLED})]:
        said = TABLES[table]
        if not said.words and table not in special:
            continue
        columns: dict[str, str] = dict(
            admin.execute(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s "
                "AND is_generated = 'NEVER'",
                (table,),
            ).fetchall()
        )
        values: dict[str, Any] = {name: one for name, one in ids.items() if name in columns}
        for name in said.words:
            kind = columns.get(name)
            if kind == "text":
                values[name] = CANARY
            elif kind == "jsonb":
                values[name] = f'["{CANARY}"]' if name in ("sources", "lines") else f'{{"said": "{CANARY}"}}'
            elif kind == "ARRAY":
                values[name] = [CANARY]
        values |= {"sources": f'[["{CANARY}", "k", 1, 0, 1]]'} if table == "sightings" else {}
        values |= {"model": "m"} if table == "model_summaries" else {}
        insert(admin, table, row(admin, table, scope.tenant, **values | special.get(table, {})))


@pytest.fixture
def planted(talkative: Memory, superuser: psycopg.Connection) -> None:
    """Both tenants have a row in every table, which the test inserted without the library."""
    for scope in (MINE, THEIRS):
        memory = talkative.scope(scope.user, agent=scope.agent, tenant=scope.tenant)
        memory.push("Hello.", session="none", key="first")
        superuser.execute("SET session_replication_role = replica")
        superuser.execute(
            "UPDATE episodes SET content = %(c)s, session = %(c)s, key = %(c)s, speaker = %(c)s WHERE scope = %(s)s",
            {"c": CANARY, "s": scope.id},
        )
        plant(superuser, scope)


@pytest.mark.usefixtures("planted")
def test_erasing_a_user_clears_each_table_of_this_tenant_only(talkative: Memory, superuser: psycopg.Connection) -> None:
    before = found(superuser, [CANARY], tenant="theirs")
    assert before.keys() >= {name for name, said in TABLES.items() if said.words} - FILLED - {
        "episode_vectors", "fact_vectors", "entity_vectors", "vector_blocks",
    }  # fmt: skip

    talkative.forget(user="Plumkin", rewrite=False)

    assert found(superuser, [CANARY], tenant="default") == {}
    assert found(superuser, [CANARY], tenant="theirs") == before
    assert found(superuser, ["Plumkin"], tenant="theirs").keys() >= {"scope_heads"}


@pytest.mark.usefixtures("planted")
def test_erasing_a_session_clears_each_table(talkative: Memory, superuser: psycopg.Connection) -> None:
    before = found(superuser, [CANARY], tenant="theirs")

    talkative.forget(user="Plumkin", session=CANARY, rewrite=False)

    by_hand = {"consensus", "goals", "legal_holds", "undos", "strategies", "tool_stats", "entities"}
    left = found(superuser, [CANARY], tenant="default")
    assert left.pop("audit_log") == {"user_id", "source_channel", "target_channels", "promoted_from_channel"}
    assert left.keys() <= by_hand
    assert found(superuser, [CANARY], tenant="theirs") == before


IDS = {"tenant"}
"""A column that names no person: the tenant."""


WORDLESS = {
    "bigint", "bigint[]", "boolean", "date", "double precision", "integer", "smallint", "smallint[]",
    "timestamp with time zone", "timestamp with time zone[]", "tstzmultirange", "tstzrange", "uuid", "uuid[]",
}  # fmt: skip
"""Types whose columns cannot contain words or data derived from them."""


def unlisted(name: str, table: Sequence[Column]) -> set[str]:
    """Return the columns of a table for which the list does not state whether they contain words."""
    said = TABLES.get(name)
    listed = set() if said is None else {*said.words, *said.ours}
    return {column.name for column in table if column.type not in WORDLESS} - listed - IDS


def test_each_text_column_is_in_the_erasure_list(superuser: psycopg.Connection) -> None:
    tables = columns(superuser)

    assert {name: missing for name, table in tables.items() if (missing := unlisted(name, table))} == {}
    assert TABLES.keys() == tables.keys()


def test_the_erasure_list_names_only_existing_columns(superuser: psycopg.Connection) -> None:
    tables = columns(superuser)

    for name, said in TABLES.items():
        assert {*said.words, *said.ours} <= {column.name for column in tables[name]}, name
        assert not set(said.words) & set(said.ours), name
        assert bool(said.words) <= bool(said.erased), f"{name} has words, and nothing is said of their erasure"


def test_words_are_stored_only_in_the_listed_columns(talkative: Memory, superuser: psycopg.Connection) -> None:
    live(talkative, "Plumkin", session="tryst")

    hits = found(superuser, [*WORDS, "Plumkin", "tryst"])

    assert {table: columns - set(TABLES[table].words) for table, columns in hits.items()} == {
        table: set() for table in hits
    }
    assert len(hits) >= 18, sorted(hits)
