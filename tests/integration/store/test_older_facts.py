"""Facts of an older version stay unchanged and readable after an upgrade of the schema."""

import os
from collections.abc import Iterator

import psycopg
import pytest
from alembic import command
from psycopg import sql
from sqlalchemy import Engine

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.store import migrate
from slowwave.store.database import engine
from tests.integration.store.rows import insert, row

TENANTS = ("acme", "zenith")


@pytest.fixture
def older(postgres_server: PostgresServer) -> Iterator[tuple[psycopg.Connection, Engine]]:
    """A database at the revision before facts had forms, as a superuser and as the owner of its schema."""
    name = f"older_{os.getpid()}"
    with psycopg.connect(postgres_server.url("postgres", "postgres"), autocommit=True) as server:
        server.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE template0 OWNER slowwave_owner").format(sql.Identifier(name))
        )
        owner = engine(postgres_server.url("slowwave_owner", name), pool_size=1)
        with psycopg.connect(postgres_server.url("postgres", name), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
            upgrade(owner, "0016")
            yield connection, owner
        owner.dispose()
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def upgrade(owner: Engine, revision: str) -> None:
    with owner.begin() as connection:
        config = migrate._config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def test_a_migrated_fact_without_a_form_is_typed_and_keeps_its_text(older: tuple[psycopg.Connection, Engine]) -> None:
    connection, owner = older
    for tenant in TENANTS:
        said = {"subject": tenant, "predicate": "lives_in", "object": "Oslo"}
        insert(connection, "facts", row(connection, "facts", tenant, **said))

    migrate.migrate(owner)

    found = connection.execute(
        "SELECT tenant, form, text, tense, terms @@ plainto_tsquery('english', 'Oslo') FROM facts ORDER BY tenant"
    ).fetchall()
    assert found == [(tenant, "typed", f"{tenant} lives in Oslo", "current", True) for tenant in TENANTS]
