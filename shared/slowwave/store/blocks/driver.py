"""Statements whose answers come in binary: in text, bytes are twice as long, and a vector takes ten times as long."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection


def execute(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> psycopg.Cursor[Any]:
    """Run *statement* in the transaction of *connection*; return the cursor with its rows."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
