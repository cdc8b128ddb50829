"""Every database error becomes one of our errors, which says who must act."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.errors import lookup
from sqlalchemy.exc import DBAPIError

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Conflict, Fault, Incorrect, SlowwaveError, Unavailable, Unprepared
from slowwave.memory import due_work
from slowwave.store.database import Database, translated
from tests.databases import copied
from tests.integration.steps import forgive, refuse
from tests.unit.tables import over


@pytest.fixture
def bare(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of an empty database."""
    with copied(postgres_server, "template0", "bare") as name:
        yield name


def ask(url: str) -> None:
    """Query one row of a table of ours."""
    database = Database(url)
    try:
        with database.tenant("default") as connection:
            connection.exec_driver_sql("SELECT FROM scope_heads")
    finally:
        database.close()


def test_a_database_without_pgvector_is_named(postgres_server: PostgresServer, bare: str) -> None:
    with pytest.raises(Incorrect, match="has no pgvector"):
        ask(postgres_server.url(database=bare))


def test_a_database_without_migrations_names_the_command_to_run(postgres_server: PostgresServer, bare: str) -> None:
    with psycopg.connect(postgres_server.url("postgres", bare)) as connection:
        connection.execute("CREATE EXTENSION vector")

    with pytest.raises(Incorrect, match="slowwave db migrate"):
        ask(postgres_server.url(database=bare))


def test_the_error_of_libpq_is_passed_on(postgres_server: PostgresServer) -> None:
    with pytest.raises(Unavailable, match='database "nowhere" does not exist'):
        ask(postgres_server.url(database="nowhere"))


def test_a_refused_migration_names_the_login_that_may_migrate(url: str) -> None:
    with pytest.raises(Incorrect, match="as the login slowwave_owner"):
        wiring.migrate_database(url)


def test_a_statement_beyond_the_grants_of_its_role_says_where_the_grants_are(url: str) -> None:
    database = Database(url)
    with pytest.raises(Unprepared, match="permission denied for table standing") as refused, database.dispatch() as one:
        one.exec_driver_sql("SELECT scope FROM standing WHERE pinned")
    database.close()
    assert "only the columns that a migration grants to its role, app or dispatch" in str(refused.value.hint)


STATES = sorted(state for state in vars(psycopg.errors)["_sqlcodes"] if len(state) == 5)
NOT_NOW = {"08", "53", "57", "58", "72", "F0"}
NOT_NOW_EITHER = {"25006", "25P03", "25P04", "55006", "55P03"}


def expected(state: str) -> type[SlowwaveError]:
    """Return the category of *state*, stated independently of the table in the code."""
    if state[:2] in NOT_NOW or state in NOT_NOW_EITHER:
        return Unavailable
    if state[:2] == "40" or state in ("23505", "23P01"):
        return Conflict
    if state[:2] in ("22", "54"):
        return Incorrect
    if state[:2] in ("3D", "3F") or state in ("42501", "42703", "42883", "42P01"):
        return Unprepared
    return Fault


def ours(cause: Exception) -> SlowwaveError:
    """Return our error for *cause*, raised by SQLAlchemy."""
    with pytest.raises(SlowwaveError) as caught, translated():
        raise DBAPIError.instance("SELECT 1", None, cause, psycopg.Error)
    return caught.value


@over(STATES)
def test_each_sqlstate_maps_to_one_of_our_categories(state: str) -> None:
    error = ours(lookup(state)("no"))

    assert type(error) is expected(state)
    assert error.hint
    with pytest.raises(expected(state)), translated():
        raise lookup(state)("no")


@pytest.mark.parametrize(
    ("cause", "category"),
    [
        (psycopg.OperationalError("server closed the connection unexpectedly"), Unavailable),
        (psycopg.InterfaceError("the connection is closed"), Unavailable),
        (psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"), Incorrect),
        (psycopg.ProgrammingError("cannot adapt type 'object'"), Fault),
        (psycopg.Error("something else"), Fault),
    ],
)
def test_an_error_without_a_sqlstate_is_mapped_by_its_type(cause: psycopg.Error, category: type[SlowwaveError]) -> None:
    assert type(ours(cause)) is category


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("SET LOCAL statement_timeout = 50; SELECT pg_sleep(20)", Unavailable),
        ("SELECT set_config('transaction_read_only', 'on', true); DELETE FROM goals", Unavailable),
        ("SELECT nothing FROM nowhere", Unprepared),
        ("TRUNCATE episodes", Unprepared),
        ("SELECT 1 / 0", Incorrect),
        (
            "SELECT to_tsvector('simple', (SELECT string_agg(n::text, ' ') FROM generate_series(1, 200000) n))",
            Incorrect,
        ),
        ("SELECT 1 UNION SELECT 2 FOR UPDATE", Fault),
    ],
)
def test_errors_of_a_real_postgres_map_to_their_categories(
    parts: wiring.Parts, statement: str, category: type[SlowwaveError]
) -> None:
    def execute() -> None:
        with parts.database.tenant("default") as connection:
            for part in statement.split("; "):
                connection.exec_driver_sql(part)

    with pytest.raises(SlowwaveError) as caught:
        execute()
    assert type(caught.value) is category


def test_lone_surrogates_are_incorrect(parts: wiring.Parts) -> None:
    with pytest.raises(Incorrect, match="surrogates"), parts.database.tenant("default") as connection:
        connection.exec_driver_sql("SELECT %(text)s", {"text": "\ud800"})


WORDS = ["I live in Oslo.", "I like tea.", "I have a dog called Rex.", "I work at Equinor."]


@pytest.mark.parametrize("state", ["53100", "53200", "58030", "25006", "57P01", "57P03", "42P01"])
def test_a_refused_write_narrows_no_window_and_makes_no_dead_letter(
    parts: wiring.Parts, superuser: psycopg.Connection, scope: Scope, state: str
) -> None:
    parts.push(scope, WORDS)
    due_work.fire(parts, scope.id)
    refuse(superuser, state, table="facts")

    outcomes = {report.outcome for _ in range(5) if (report := due_work.run_next(parts, owner="ann"))}
    assert "unavailable" in outcomes
    assert outcomes <= {"ok", "unavailable"}

    forgive(superuser, table="facts")
    superuser.execute("UPDATE intents SET due = now() - interval '1 minute' WHERE state = 'running'")
    while due_work.run_next(parts, owner="ann"):
        pass
    assert superuser.execute("SELECT count(*) FROM dead_letters").fetchone() == (0,)
    assert superuser.execute("SELECT position FROM watermarks WHERE pack = 'everyday'").fetchall() == [(4,)]
    assert superuser.execute("SELECT count(*) FROM runs WHERE outcome NOT IN ('ok', 'unavailable')").fetchone() == (0,)


def test_a_session_opened_while_postgres_was_read_only_is_replaced(
    parts: wiring.Parts, scope: Scope, superuser: psycopg.Connection
) -> None:
    name = superuser.info.dbname
    superuser.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    parts.database.hang_up()
    for _ in range(2):
        with pytest.raises(Unavailable, match="ReadOnly"):
            parts.push(scope, ["I live in Oslo"])
    superuser.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")

    assert [receipt.state for receipt in parts.push(scope, ["I live in Oslo"])] == ["stored"]
