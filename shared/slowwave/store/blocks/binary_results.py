"""Statements with binary results: in text, bytes are twice as long, and a vector takes ten times as long."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection

from slowwave.store.async_bridge import waited_for
from slowwave.store.direct import driver_of


def execute(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    """Run *statement* in the transaction of *connection*; return its rows, none for a statement without a result."""
    driver = driver_of(connection)
    if isinstance(driver, psycopg.AsyncConnection):
        return waited_for(_rows(driver, statement, parameters))
    cursor = driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
    return cursor.fetchall() if cursor.description else []


async def _rows(driver: psycopg.AsyncConnection[Any], statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    cursor = await driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
    return await cursor.fetchall() if cursor.description else []
