"""Statements: lists reach Postgres as arrays, plans last for a session, and several go in one round trip."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.retrieval.recall import along_relations, recall
from slowwave.store import database
from slowwave.store.blocks import packing
from slowwave.store.blocks.binary_results import execute_binary, sent_ahead
from slowwave.store.recall.recall import Memories
from slowwave.store.statements import sql
from tests.contract.blocks.harness import talk, tell
from tests.contract.harness import Harness

ODD = ["", " ", "NULL", "null", "{}", '"', "\\", '\\"', "a,b", "'", "\t\n", "\u00a0\u2003\u3000", "naïve 💤", None]
TEXTS = st.lists(
    st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\x00") | st.sampled_from('"\\\\{},'))
)


def sent(parts: wiring.Parts, values: Sequence[object], kind: str) -> list[object]:
    with parts.database.dispatch() as connection:
        row = connection.exec_driver_sql(f"SELECT %(values)s::{kind}[]", {"values": list(values)}).scalar_one()
    assert isinstance(row, list)
    return row


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (ODD, "text"),
        (ODD[:-1], "text"),
        ([], "text"),
        ([uuid.UUID(int=7), uuid.UUID(int=2**128 - 1)], "uuid"),
        ([0, -1, 2**40], "bigint"),
        ([None, None], "uuid"),
        ([uuid.UUID(int=7), None], "uuid"),
        ([b"\\x00", b'"{},', b"\x00\xff", None], "bytea"),
        ([0, -1, 2**40, None], "bigint"),
        ([0.5, float("inf"), -1e-300], "float8"),
        ([True, False, None], "boolean"),
        ([datetime(2026, 1, 5, 8, 30, 0, 1, tzinfo=UTC), None], "timestamptz"),
        ([["a", '"b"'], ["{c}", "d"]], "text"),
    ],
)
def test_arrays_arrive_unchanged(parts: wiring.Parts, values: list[object], kind: str) -> None:
    assert sent(parts, values, kind) == values


def test_a_nul_character_is_refused_anywhere(parts: wiring.Parts) -> None:
    for texts in (["a\x00", "b"], ["\x00"], ["a", "b\x00c"]):
        with pytest.raises(SlowwaveError, match="NUL"):
            sent(parts, texts, "text")


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS)
def test_any_text_arrives_unchanged(parts: wiring.Parts, texts: list[str | None]) -> None:
    assert sent(parts, texts, "text") == texts


OFTEN = 12
"""Executions after which Postgres uses a generic plan: five before it is prepared, and five more."""


@pytest.fixture
def one(parts: wiring.Parts) -> Iterator[database.Database]:
    """A database with one session, which begins with the test."""
    assert parts.settings.url is not None
    alone = database.Database(parts.settings.url.get_secret_value(), pool_size=1)
    yield alone
    alone.close()


def test_a_statement_is_prepared_once_for_all_parameters(one: database.Database) -> None:
    asked = "SELECT %(number)s::bigint, %(numbers)s::bigint[], %(times)s::timestamptz[] AS asked_of_any"
    given = [(1, [], []), (2**20, [7, 2**20], [None]), (9, [None, 2**40], [datetime(2026, 1, 5, tzinfo=UTC)])]

    with one.tenant("default") as connection:
        for number, numbers, times in given * OFTEN:
            connection.exec_driver_sql(asked, {"number": number, "numbers": numbers, "times": times})
        prepared = connection.exec_driver_sql(
            "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE '%%asked_of_any%%'"
        ).scalars()

        assert len(list(prepared)) == 1


@pytest.fixture
def empty(owner_url: str) -> Iterator[None]:
    """An empty table whose statistics are never updated."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE grown (number bigint PRIMARY KEY) WITH (autovacuum_enabled = false)")
        owner.execute("GRANT SELECT, INSERT ON grown TO slowwave_app")
        owner.execute("VACUUM grown")
        yield
        owner.execute("DROP TABLE grown")


@pytest.mark.usefixtures("empty")
def test_plans_made_for_an_empty_table_are_replaced_when_it_grows(
    one: database.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PLANS_SECONDS", 1e9)
    assert "Seq Scan" in planned(one)

    with one.tenant("default") as connection:
        connection.exec_driver_sql("INSERT INTO grown SELECT generate_series(1, 5000)")
    assert "Seq Scan" in planned(one)

    monkeypatch.setattr(database, "PLANS_SECONDS", 0)
    assert "grown_pkey" in planned(one)


def planned(one: database.Database) -> str:
    """Return the plan of the only session for the lookup of a number in the table."""
    for _ in range(OFTEN):
        with one.tenant("default") as connection:
            connection.exec_driver_sql("SELECT number FROM grown WHERE number = %(number)s::bigint", {"number": 7})
    with one.tenant("default") as connection:
        name = connection.exec_driver_sql(
            "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT number FROM grown%%'"
        ).scalar_one()
        return "\n".join(connection.exec_driver_sql(f"EXPLAIN EXECUTE {name} (7)").scalars())


TIME = "SELECT clock_timestamp() AS at, %(number)s::int AS number"


def test_a_result_sent_ahead_is_used_once_for_its_statement(harness: Harness) -> None:
    asked = {"number": 1}
    with harness.parts.database.tenant("default") as connection:
        with sent_ahead(connection, [(TIME, asked), ("SELECT %(text)s::text AS said", {"text": "hello"})]):
            (other,) = execute_binary(connection, "SELECT clock_timestamp() AS at", {})
            (first,) = execute_binary(connection, TIME, {"number": 1})
            (again,) = execute_binary(connection, TIME, {"number": 1})
        (later,) = execute_binary(connection, "SELECT %(text)s::text AS said", {"text": "hello"})

    assert first.number == again.number == 1
    assert first.at < other.at < again.at
    assert later.said == "hello"


def test_a_statement_with_other_parameters_is_executed(harness: Harness) -> None:
    with harness.parts.database.tenant("default") as connection, sent_ahead(connection, [(TIME, {"number": 1})]):
        (row,) = execute_binary(connection, TIME, {"number": 2})

    assert row.number == 2


def test_an_unused_result_is_dropped_with_its_transaction(harness: Harness) -> None:
    with harness.parts.database.tenant("default") as connection:
        (began,) = execute_binary(connection, TIME, {"number": 1})
        with sent_ahead(connection, [(TIME, {"number": 1})]):
            pass
    with harness.parts.database.tenant("default") as connection:
        (now,) = execute_binary(connection, "SELECT transaction_timestamp() AS at", {})
        (row,) = execute_binary(connection, TIME, {"number": 1})

    assert began.at < now.at < row.at


def test_a_statement_that_fails_ahead_raises_before_the_block(harness: Harness) -> None:
    with (
        pytest.raises(Incorrect, match="DivisionByZero"),
        harness.parts.database.tenant("default") as connection,
        sent_ahead(connection, [(TIME, {"number": 1}), ("SELECT 1 / 0", {}), (TIME, {"number": 2})]),
    ):
        raise AssertionError("the block must not begin")


def test_a_repeated_recall_has_few_round_trips(harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PACKED_FROM", 1)
    tell(harness, scope, talk(300))
    asked = partial(
        recall, "Where did you see the cello?", [scope], store=Memories(harness.parts.database),
        embedder=harness.parts.embedder, nearness=harness.parts.nearness, sources={"graph": along_relations},
    )  # fmt: skip
    asked()
    alone: list[str] = []
    run = psycopg.Cursor.execute

    def noted(cursor: psycopg.Cursor[Any], statement: Any, *how: Any, **options: Any) -> Any:
        if cursor.connection.pgconn.pipeline_status == psycopg.pq.PipelineStatus.OFF:
            alone.append(statement if isinstance(statement, str) else statement.decode())
        return run(cursor, statement, *how, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)

    assert len(asked()) == 10
    assert [one for one in alone if one.startswith("--")] == [sql("recall/contents")]
