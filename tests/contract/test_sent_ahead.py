"""Statements that are sent ahead, in one round trip, answer what is asked later; and a question waits seldom."""

from functools import partial
from typing import Any

import psycopg
import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.retrieval.recall import recall
from slowwave.retrieval.relations import along_relations
from slowwave.store.blocks.binary_results import execute, sent_ahead
from slowwave.store.recall.recall import Memories
from slowwave.store.statements import sql
from tests.contract.blocks.harness import packed_early, talk, tell
from tests.contract.harness import Harness

__all__ = ["packed_early"]

TIME = "SELECT clock_timestamp() AS at, %(number)s::int AS number"


def test_a_result_sent_ahead_is_used_once_for_its_statement(harness: Harness) -> None:
    asked = {"number": 1}
    with harness.parts.database.tenant("default") as connection:
        with sent_ahead(connection, [(TIME, asked), ("SELECT %(text)s::text AS said", {"text": "hello"})]):
            (other,) = execute(connection, "SELECT clock_timestamp() AS at", {})
            (first,) = execute(connection, TIME, {"number": 1})
            (again,) = execute(connection, TIME, {"number": 1})
        (later,) = execute(connection, "SELECT %(text)s::text AS said", {"text": "hello"})

    assert first.number == again.number == 1
    assert first.at < other.at < again.at
    assert later.said == "hello"


def test_a_statement_with_other_parameters_is_executed(harness: Harness) -> None:
    with harness.parts.database.tenant("default") as connection, sent_ahead(connection, [(TIME, {"number": 1})]):
        (row,) = execute(connection, TIME, {"number": 2})

    assert row.number == 2


def test_an_unused_result_is_dropped_with_its_transaction(harness: Harness) -> None:
    with harness.parts.database.tenant("default") as connection:
        (began,) = execute(connection, TIME, {"number": 1})
        with sent_ahead(connection, [(TIME, {"number": 1})]):
            pass
    with harness.parts.database.tenant("default") as connection:
        (now,) = execute(connection, "SELECT transaction_timestamp() AS at", {})
        (row,) = execute(connection, TIME, {"number": 1})

    assert began.at < now.at < row.at


def test_a_statement_that_fails_ahead_raises_before_the_block(harness: Harness) -> None:
    with (
        pytest.raises(Incorrect, match="DivisionByZero"),
        harness.parts.database.tenant("default") as connection,
        sent_ahead(connection, [(TIME, {"number": 1}), ("SELECT 1 / 0", {}), (TIME, {"number": 2})]),
    ):
        raise AssertionError("the block must not begin")


@pytest.mark.usefixtures("packed_early")
def test_a_repeated_question_makes_few_round_trips(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
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
