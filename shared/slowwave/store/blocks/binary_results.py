"""Statements with binary results. In text format, bytes have twice the size, and a vector takes ten times the time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection

from slowwave.store.direct import arrive, driver_of, one_trip, unflushed, waited_for

Asked = tuple[str, Mapping[str, Any]]
"""A statement with its parameters."""

_AHEAD = "slowwave.ahead"


def execute_binary(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    """Run *statement* in the transaction of *connection*; return its rows, or an empty list if it has no result.

    If `sent_ahead` has run the same statement with the same parameters, the first such call returns those rows.
    """
    ahead = connection.info.get(_AHEAD)
    if ahead and (sent := ahead.pop(statement, None)) and sent[0] == parameters:
        rows: list[Any] = sent[1]
        return rows
    driver = driver_of(connection)
    if isinstance(driver, psycopg.AsyncConnection):
        return waited_for(_rows(driver, statement, parameters))
    cursor = driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
    arrive(connection)
    return cursor.fetchall() if cursor.description else []


@contextmanager
def sent_ahead(connection: Connection, asked: Sequence[Asked]) -> Iterator[list[list[Any]]]:
    """Run the statements *asked* in one round trip, in order, and give the rows of each.

    Within the block, `execute_binary` returns these rows.
    """
    driver = driver_of(connection)
    if isinstance(driver, psycopg.AsyncConnection):
        rows = waited_for(_all_rows(driver, asked))
    else:
        with one_trip(connection, driver):
            cursors = [
                driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
                for statement, parameters in asked
            ]
        rows = [cursor.fetchall() for cursor in cursors]
    info = connection.info  # a connection that was lost in the block gives its info no more
    info[_AHEAD] = {statement: (parameters, found) for (statement, parameters), found in zip(asked, rows, strict=True)}
    try:
        yield rows
    finally:
        info.pop(_AHEAD, None)


async def _rows(driver: psycopg.AsyncConnection[Any], statement: str, parameters: Mapping[str, Any]) -> list[Any]:
    cursor = await driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
    return await cursor.fetchall() if cursor.description else []


async def _all_rows(driver: psycopg.AsyncConnection[Any], asked: Sequence[Asked]) -> list[list[Any]]:
    async with driver.pipeline() as pipeline:
        unflushed(pipeline)
        cursors = [
            await driver.cursor(binary=True, row_factory=namedtuple_row).execute(statement.encode(), parameters)
            for statement, parameters in asked
        ]
    return [await cursor.fetchall() for cursor in cursors]
