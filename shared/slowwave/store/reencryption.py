"""Encrypts rows that are already stored: after encryption is switched on, and after a new data key is added."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from time import sleep
from typing import Any

from psycopg import sql as composed
from sqlalchemy import Connection

from slowwave.domain.encryption import DataKey, Reencrypted, StaleRows
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Incorrect, Unavailable
from slowwave.store.database import DEADLINE_SECONDS, LONG_SECONDS, Database
from slowwave.store.encryption import tenant_keys
from slowwave.store.encryption.cipher import Cipher, MasterKeys, each_text, number_of
from slowwave.store.encryption.columns import ENCRYPTED, Column
from slowwave.store.encryption.tenant_keys import add_key, cipher_of
from slowwave.store.erasure.erasing import as_eraser
from slowwave.store.statements import sql
from slowwave.store.transaction import now

AT_ONCE = 500
"""The maximum number of rows that one transaction encrypts."""
RETIRE_SECONDS = 2 * LONG_SECONDS
"""An old data key is deleted when its successor has been in use for this time, longer than any transaction takes, and
no row needs the old key.
"""
GRACE_SECONDS = DEADLINE_SECONDS
"""The time after which no transaction runs that began before every process had read a new data key."""


def data_keys(database: Database, tenant: str) -> list[DataKey]:
    """Return the data keys of *tenant*, oldest first."""
    with database.tenant(tenant) as connection:
        rows = connection.exec_driver_sql(sql("encryption/keys")).all()
    return [DataKey(row.key, row.master, row.made, row.used_from, row.in_use) for row in rows if row.own]


def rotate(database: Database, tenant: str) -> DataKey:
    """Add a new data key of *tenant*; return the key. It is used after a minute, when every process has read it."""
    masters = _masters(database)
    with database.tenant(tenant) as connection:
        add_key(connection, masters, tenant)
    database.keys.forget(tenant)
    return data_keys(database, tenant)[-1]


def encrypt_stored(database: Database, tenant: str) -> Reencrypted:
    """Encrypt all words of *tenant* with the current data key, and wrap all data keys with the current master key.

    Dead letters of the installation, which belong to no tenant, are encrypted with a key of the installation.

    Each transaction encrypts at most AT_ONCE rows, so that other transactions need not wait long. An interrupted call
    can be repeated. If the call encrypts no row, it deletes the data keys whose successor has been in use for
    RETIRE_SECONDS. Raises `Unavailable` if a process may still use an older key.
    """
    masters = _masters(database)
    for name in (tenant, SYSTEM_TENANT):
        _refuse_early(database, name)
    rows = Counter[str]()
    for name, table in _places(tenant):
        rows[table] += sum(len(old) for old in _walk(database, name, table, encrypt=True))
    wrapped = sum(_wrap(database, name, masters) for name in (tenant, SYSTEM_TENANT))
    return Reencrypted(
        {table: count for table, count in rows.items() if count}, wrapped, _retire(database, tenant, rows)
    )


def stale_rows(database: Database, tenant: str) -> list[StaleRows]:
    """Count the rows of *tenant* whose words are readable or have an older data key than the newest, by table.

    `encrypt_stored` encrypts these rows with the newest key. Reads every row. A row with both counts as readable.
    """
    _masters(database)
    readable, older = Counter[str](), Counter[str]()
    for name, table in _places(tenant):
        for old in _walk(database, name, table, encrypt=False):
            readable[table] += sum(None in numbers for numbers in old)
            older[table] += sum(None not in numbers for numbers in old)
    return [StaleRows(table, readable[table], older[table]) for table in ENCRYPTED if readable[table] + older[table]]


def users(connection: Connection) -> list[str]:
    """Return the names of all users of the tenant of *connection* that were not erased, also those without a scope."""
    statement = (
        "SELECT user_id FROM scope_heads WHERE erased IS NULL UNION SELECT user_id FROM quotas WHERE user_id <> '' "
        "UNION SELECT user_id FROM webhooks WHERE user_id IS NOT NULL "
        "UNION SELECT user_id FROM audit_log WHERE user_id IS NOT NULL ORDER BY user_id"
    )
    return list(connection.exec_driver_sql(statement).scalars())


def delete_keys(database: Database, tenant: str, before: DataKey) -> int:
    """Delete the data keys of *tenant* that are older than *before*; return their number.

    Waits until every process encrypts with *before*. Then takes an exclusive lock, and encrypts again the words that
    still have an older key, so that no new words are lost. Raises `Unavailable` if a transaction takes too long; then
    repeat the call.
    """
    with database.tenant(tenant) as connection:
        left = (before.used_from - now(connection)).total_seconds() + tenant_keys.REFRESH_SECONDS
    sleep(max(0.0, left))
    database.keys.forget(tenant)
    with database.tenant(tenant) as connection:
        tenant_keys.lock(connection, tenant, shared=False)
        for table in ENCRYPTED:
            after: Sequence[Any] | None = None
            while True:
                _, after = _batch(connection, table, after, before.key, encrypt=True)
                if after is None:
                    break
        statement = "DELETE FROM tenant_keys WHERE tenant = slowwave_tenant() AND key < %(key)s"
        count = connection.exec_driver_sql(statement, {"key": before.key}).rowcount
    database.keys.forget(tenant)
    return count


def _refuse_early(database: Database, tenant: str) -> None:
    """Raise `Unavailable` if a process may still encrypt with an older data key than the newest of *tenant*."""
    newest = data_keys(database, tenant)[-1]
    with database.tenant(tenant) as connection:
        everywhere = newest.used_from + timedelta(seconds=tenant_keys.REFRESH_SECONDS + GRACE_SECONDS)
        left = (everywhere - now(connection)).total_seconds()
    if newest.used_from > newest.made and left > 0:
        raise Unavailable(
            f"not every process uses data key {newest.key} before {everywhere:%H:%M:%S}Z",
            retry_after_seconds=left,
            hint="run this again then",
        )


def _places(tenant: str) -> list[tuple[str, str]]:
    """Return the tables with words of *tenant*, and the dead letters that belong to no tenant."""
    return [*((tenant, table) for table in ENCRYPTED), (SYSTEM_TENANT, "dead_letters")]


def _masters(database: Database) -> MasterKeys:
    if database.keys.masters is None:
        raise Incorrect(
            "SLOWWAVE_ENCRYPTION_KEYS is not set",
            hint="`slowwave encryption new-key` prints a key; set it for every process of the installation",
        )
    return database.keys.masters


def _wrap(database: Database, tenant: str, masters: MasterKeys) -> int:
    with database.tenant(tenant) as connection:
        rows = connection.exec_driver_sql(sql("encryption/keys"))
        old = [row for row in rows if row.own and row.master != masters.current]
        for row in old:
            data_key = masters.unwrap(bytes(row.wrapped), tenant, row.master)
            connection.exec_driver_sql(
                "UPDATE tenant_keys SET wrapped = %(wrapped)s, master = %(master)s WHERE key = %(key)s",
                {"key": row.key, "wrapped": masters.wrap(data_key, tenant), "master": masters.current},
            )
    return len(old)


def _retire(database: Database, tenant: str, rows: Counter[str]) -> Sequence[int]:
    if rows.total():
        return []
    with database.tenant(tenant) as connection:
        return connection.exec_driver_sql(sql("encryption/retire"), {"seconds": RETIRE_SECONDS}).scalars().all()


Old = set[int | None]
"""The numbers of the older data keys in one row; None stands for readable words."""


def _walk(database: Database, tenant: str, table: str, *, encrypt: bool) -> Iterator[list[Old]]:
    """Yield for each transaction over *table* the rows that were not under the newest key; see `_batch`."""
    newest = data_keys(database, tenant)[-1].key
    database.keys.forget(tenant)
    after: Sequence[Any] | None = None
    while True:
        with database.tenant(tenant) as connection:
            old, after = _batch(connection, table, after, newest, encrypt=encrypt)
        yield old
        if after is None:
            return


def _batch(
    connection: Connection, table: str, after: Sequence[Any] | None, newest: int, *, encrypt: bool
) -> tuple[list[Old], Sequence[Any] | None]:
    """Read the next rows of *table*, in the order of the primary key, and *encrypt* them.

    Returns the rows with words that are not under the *newest* key, and the last primary key if there may be more rows.
    """
    cipher = cipher_of(connection)
    assert cipher is not None
    columns = ENCRYPTED[table]
    columns_of_key = connection.exec_driver_sql(sql("encryption/primary_key"), {"table": table})
    key = [(row.name, row.type) for row in columns_of_key]
    with as_eraser(connection):
        rows = _read(connection, table, key, columns, after, lock=encrypt)
        found = [(row, old) for row in rows if (old := _old(row[len(key) :], columns, cipher, newest))]
        if encrypt:
            _store(connection, table, key, columns, [row for row, _ in found], cipher)
    return [old for _, old in found], rows[-1][: len(key)] if len(rows) == AT_ONCE else None


def _read(
    connection: Connection,
    table: str,
    key: Sequence[tuple[str, str]],
    columns: Mapping[str, Column],
    after: Sequence[Any] | None,
    *,
    lock: bool,
) -> Sequence[Any]:
    """Return the next rows of *table*: the primary key, and each column as it is stored, in bytes."""
    names = composed.SQL(", ").join(composed.Identifier(name) for name, _ in key)
    stored = composed.SQL(", ").join(
        composed.SQL("convert_to({}::text, 'UTF8')").format(composed.Identifier(name)) for name in columns
    )
    later: composed.Composable = composed.SQL("true")
    asked = {}
    if after is not None:
        asked = {f"k{at}": value for at, value in enumerate(after)}
        least = composed.SQL(", ").join(
            composed.SQL("{}::{}").format(composed.Placeholder(f"k{at}"), composed.SQL(kind))
            for at, (_, kind) in enumerate(key)
        )
        later = composed.SQL("({}) > ({})").format(names, least)
    statement = composed.SQL(
        "SELECT {}, {} FROM {} WHERE tenant = slowwave_tenant() AND {} ORDER BY {} LIMIT {} {}"
    ).format(
        names, stored, composed.Identifier(table), later, names, composed.Literal(AT_ONCE),
        composed.SQL("FOR UPDATE" if lock else ""),
    )  # fmt: skip
    return connection.exec_driver_sql(_text(connection, statement), asked).all()


def _store(
    connection: Connection,
    table: str,
    key: Sequence[tuple[str, str]],
    columns: Mapping[str, Column],
    rows: Sequence[Any],
    cipher: Cipher,
) -> None:
    if not rows:
        return
    names = [*(name for name, _ in key), *columns]
    kinds = [*(kind for _, kind in key), *("text" for _ in columns)]
    values = {f"c{at}": [row[at] for row in rows] for at in range(len(key))}
    for at, column in enumerate(columns.values(), len(key)):
        values[f"c{at}"] = [_encrypted(row[at], column, cipher) for row in rows]
    new = composed.SQL(", ").join(
        composed.SQL("{}::{}[]").format(composed.Placeholder(f"c{at}"), composed.SQL(kind))
        for at, kind in enumerate(kinds)
    )
    change = composed.SQL(", ").join(
        composed.SQL("{0} = new.{0}::{1}").format(
            composed.Identifier(name), composed.SQL("jsonb" if column.is_json else "text")
        )
        for name, column in columns.items()
    )
    same = composed.SQL(" AND ").join(composed.SQL("t.{0} = new.{0}").format(composed.Identifier(n)) for n, _ in key)
    statement = composed.SQL("UPDATE {} AS t SET {} FROM unnest({}) AS new ({}) WHERE {}").format(
        composed.Identifier(table), change, new, composed.SQL(", ").join(map(composed.Identifier, names)), same
    )
    connection.exec_driver_sql(_text(connection, statement), values)


def _old(stored: Sequence[Any], columns: Mapping[str, Column], cipher: Cipher, newest: int) -> Old:
    """Return the numbers of the keys of a row other than the *newest*. Words whose key was deleted do not count."""
    numbers = {
        number_of(text)
        for value, column in zip(stored, columns.values(), strict=True)
        for text in _texts(value, column)
        if text
    }
    return {number for number in numbers if number is None or (number != newest and number in cipher)}


def _texts(stored: bytes | None, column: Column) -> list[str]:
    if stored is None:
        return []
    text = bytes(stored).decode()
    if not column.is_json:
        return [text]
    found: list[str] = []

    def noted(one: str) -> str:
        found.append(one)
        return one

    each_text(json.loads(text), noted, column.plain)
    return found


def _encrypted(stored: bytes | None, column: Column, cipher: Cipher) -> str | None:
    if stored is None:
        return None
    encrypt = partial(cipher.encrypt, same=column.same)

    def again(text: str) -> str:
        number = number_of(text)
        return encrypt(cipher.decrypt(text)) if text and (number is None or number in cipher) else text

    text = bytes(stored).decode()
    return json.dumps(each_text(json.loads(text), again, column.plain)) if column.is_json else again(text)


def _text(connection: Connection, statement: composed.Composed) -> str:
    driver = connection.connection.driver_connection
    assert driver is not None
    return statement.as_string(driver)
