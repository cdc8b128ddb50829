"""The database that tests share one after another: each test finds it reset, or gets a new one."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from pydantic import SecretStr

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.settings import Settings
from slowwave.testing import move_clock
from tests.databases import Lent, heard, opened
from tests.unit.tables import table

ROWS = table(__file__)


@pytest.fixture
def lending(postgres_server: PostgresServer, template: str) -> Iterator[Lent]:
    """One of this test's own."""
    lent = Lent(postgres_server, template)
    yield lent
    lent.close()


def rows(server: PostgresServer, name: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url("postgres", name), autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


COUNTS = """
SELECT (SELECT count(*) FROM episodes), (SELECT count(*) FROM packs), (SELECT count(*) FROM schedules),
    (SELECT md5(string_agg(s::text, '|' ORDER BY s::text)) FROM pg_sequences AS s),
    to_regclass('test_clock'), pg_get_functiondef('slowwave_now()'::regprocedure)
"""


def test_a_lent_database_is_reset_with_its_clock_and_sequences(
    postgres_server: PostgresServer, lending: Lent, heavy_parts: dict[str, object], scope: Scope
) -> None:
    name = lending.name
    new = rows(postgres_server, name, COUNTS)
    with opened(postgres_server, name, heavy_parts) as parts, lending.connections(parts):
        parts.push(scope, [Episode(content="I live in Oslo", key="k1")])
        move_clock(postgres_server.url("slowwave_owner", name), timedelta(days=1))
    assert rows(postgres_server, name, COUNTS) != new

    lending.take_back()

    assert lending.name == name
    assert rows(postgres_server, name, COUNTS) == new


def test_a_copied_registration_equals_the_first(
    postgres_server: PostgresServer, lending: Lent, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    def registered(**changed: object) -> tuple[int, list[list[tuple[object, ...]]]]:
        url = SecretStr(postgres_server.url(database=lending.name))
        with closing(wiring.connect(settings.model_copy(update={"url": url, **changed}))) as parts, heard() as sent:
            vars(parts).update(heavy_parts)
            lending.register(parts)
            found = [rows(postgres_server, lending.name, statement) for statement in ROWS["registered"]]
        lending.take_back()
        return len(sent), found

    name = lending.name
    first, again, other, last = registered(), registered(), registered(preset="grampus_f3"), registered()

    assert first[1] == again[1] == last[1] != other[1]
    assert again[0] == last[0] == 0 < min(first[0], other[0])
    assert lending.name == name


@pytest.mark.parametrize("statement", ROWS["changes"])
def test_a_database_with_a_changed_schema_is_replaced(
    postgres_server: PostgresServer, lending: Lent, statement: str
) -> None:
    name = lending.name
    rows(postgres_server, name, statement)

    lending.take_back()

    assert lending.name != name
    assert rows(postgres_server, "postgres", f"SELECT FROM pg_database WHERE datname = '{name}'") == []


def test_a_database_to_which_somebody_is_still_connected_is_replaced(
    postgres_server: PostgresServer, lending: Lent
) -> None:
    name = lending.name
    left = psycopg.connect(postgres_server.url("postgres", name))
    left.execute("INSERT INTO packs SELECT * FROM packs WHERE false")

    lending.take_back()

    assert lending.name != name
    with pytest.raises(psycopg.OperationalError):
        left.execute("SELECT 1")
    left.close()
