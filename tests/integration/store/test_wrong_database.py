"""An unreachable, bare or old database, or the wrong login: each error says in a sentence which it is."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Incorrect, Unavailable
from slowwave.store.database import Database


@pytest.fixture
def bare(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of a database in which nothing is."""
    name = f"bare_{os.getpid()}"
    with psycopg.connect(postgres_server.url("postgres", "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0 OWNER slowwave_owner")
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def ask(url: str) -> None:
    """Ask for one row of ours."""
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
