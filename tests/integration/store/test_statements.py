"""Every statement file is one statement that Postgres can prepare."""

import re
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus

from slowwave.store import statements

STORE = Path(statements.__file__).parent
STATEMENTS = sorted(
    str(path.relative_to(STORE).with_suffix(""))
    for path in STORE.rglob("*.sql")
    if "migrations" not in path.relative_to(STORE).parts
)
PARAMETER = re.compile(r"%\((\w+)\)[sbt]")


def prepare(connection: psycopg.Connection, text: str) -> None:
    """Let Postgres parse and analyse *text* as one statement with numbered parameters of inferred types."""
    names = list(dict.fromkeys(PARAMETER.findall(text)))
    numbered = PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", text).replace("%%", "%")
    result = connection.pgconn.prepare(b"", numbered.encode())
    if result.status != ExecStatus.COMMAND_OK:
        raise error_from_result(result)


def test_each_statement_can_be_prepared(superuser: psycopg.Connection) -> None:
    refused = {}
    for name in STATEMENTS:
        try:
            prepare(superuser, (STORE / f"{name}.sql").read_text(encoding="utf-8"))
        except psycopg.Error as error:
            refused[name] = str(error).partition("\n")[0]

    assert refused == {}
    assert len(STATEMENTS) > 100


@pytest.mark.parametrize(
    "fragment", [", written AS (SELECT 1)", "SELECT 1; SELECT 2", "FOR UPDATE OF e", "SELECT nothing"]
)
def test_a_fragment_is_refused(superuser: psycopg.Connection, fragment: str) -> None:
    with pytest.raises(psycopg.Error):
        prepare(superuser, fragment)
