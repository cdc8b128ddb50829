"""The data keys of tenants, each wrapped with a master key, and the encryption of values for statements."""

import json
import math
import secrets
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from sqlalchemy import Connection

from slowwave.domain.limits import ENCRYPTION_MARK as MARK
from slowwave.errors import Unavailable, Unprepared
from slowwave.store import advisory_locks
from slowwave.store.direct import driver_of, send
from slowwave.store.encryption.cipher import KEY_BYTES, Cipher, MasterKeys, each_text, number_of
from slowwave.store.statements import sql

REFRESH_SECONDS = 20.0
"""A process reads the data keys of a tenant again after this time."""
WAIT_SECONDS = 60.0
"""A new data key of a tenant that has data is used after this time, when every process has read the key."""
CHECK_SECONDS = 5.0
"""The pause between checks that no tenant has data keys, in a process without master keys."""
DESTROYED = "[the key of this text was destroyed]"
_CIPHER = "slowwave.cipher"
_CHECKED = "slowwave.unencrypted"
_MARK_IN_JSON = json.dumps(MARK)[1:-1].encode()


class TenantKeys:
    """The data keys of the tenants of one database, as one process knows them. Without *masters*, nothing is
    encrypted.
    """

    def __init__(self, masters: MasterKeys | None = None) -> None:
        self.masters = masters
        self._ciphers: dict[str, tuple[Cipher, float]] = {}
        self._in_use: WeakKeyDictionary[Any, Cipher] = WeakKeyDictionary()
        self._missed: dict[int, float] = {}
        self._loaders = _loaders_of(self._decryption)

    def is_known(self, tenant: str) -> bool:
        """Return True if the data keys of *tenant* were read recently, or if nothing is encrypted."""
        known = self._ciphers.get(tenant)
        return self.masters is None or (known is not None and time.monotonic() - known[1] < REFRESH_SECONDS)

    def read(self, connection: Connection, tenant: str) -> None:
        """Read the data keys of *tenant*, and create the first key if there is none.

        *connection* must be in a transaction of its own: a larger transaction could roll back a key that this process
        uses already.
        """
        assert self.masters is not None
        rows, now = _rows(connection), time.monotonic()
        if not any(row.own for row in rows):
            lock(connection, tenant, shared=False)
            if not any(row.own for row in _rows(connection)):
                add_key(connection, self.masters, tenant)
            rows, now = _rows(connection), time.monotonic()
        keys = {row.key: (row.tenant, self.masters.unwrap(bytes(row.wrapped), row.tenant, row.master)) for row in rows}
        current = max((row.key for row in rows if row.own and row.in_use), default=None)
        self._ciphers[tenant] = Cipher(tenant, keys, current, read_at=now), now

    def enter(self, connection: Connection, tenant: str) -> None:
        """Let the transaction of *connection* encrypt values of *tenant*, whose keys were `read`.

        Raises `Unprepared` if the database has data keys but the settings have none.
        """
        if self.masters is None:
            _refuse_encrypted(connection)
        else:
            cipher = connection.info[_CIPHER] = self._ciphers[tenant][0]
            self._in_use[driver_of(connection)] = cipher
            lock(connection, tenant, shared=True)

    def forget(self, tenant: str) -> None:
        """Read the data keys of *tenant* again at the next transaction."""
        if (known := self._ciphers.get(tenant)) is not None:
            self._ciphers[tenant] = known[0], -math.inf

    def _decryption(self, driver: object) -> Callable[[str], str]:
        """Return the function that decrypts texts of the tenant of *driver*, a connection of Postgres' driver.

        A text whose data key was deleted becomes `DESTROYED`. The function raises `Unavailable` if the key may have
        been created after the keys were last read; then the next transaction reads the keys again.
        """
        cipher = self._in_use.get(driver)

        def decrypt(text: str) -> str:
            number = number_of(text)
            if cipher is None or number is None or number in cipher:
                return text if cipher is None else cipher.decrypt(text)
            if cipher.read_at > self._missed.setdefault(number, time.monotonic()):
                return DESTROYED
            for tenant in list(self._ciphers):
                self.forget(tenant)
            raise Unavailable(f"data key {number} is not loaded yet", retry_after_seconds=1, hint="try again")

        return decrypt

    def read_by(self, driver: psycopg.Connection[Any], _record: Any = None) -> None:
        """Decrypt every text and every JSON value that *driver* returns; do nothing without master keys."""
        if self.masters is not None:
            for name, loader in self._loaders:
                driver.adapters.register_loader(name, loader)


def _loaders_of(decryption: Callable[[object], Callable[[str], str]]) -> list[tuple[str, type[Loader]]]:
    """Return the loaders of types whose values may be encrypted, each with the name of the type.

    `set_json_loads` of the driver cannot be used: it treats two methods with the same code as one.
    """

    class Text(Loader):
        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self.decrypt = decryption(self.connection)

        def load(self, data: Buffer) -> Any:
            text = bytes(data).decode()
            return self.decrypt(text) if text.startswith(MARK) else text

    class Json(Text):
        def load(self, data: Buffer) -> Any:
            raw = bytes(data)
            value = {} if raw == b"{}" else json.loads(raw)
            return each_text(value, self.decrypt) if _MARK_IN_JSON in raw else value

    class BinaryText(Text):
        format = Format.BINARY

    class BinaryJsonb(Json):
        format = Format.BINARY

        def load(self, data: Buffer) -> Any:
            return super().load(bytes(data)[1:])  # after the version

    return [("text", Text), ("text", BinaryText), ("json", Json), ("jsonb", Json), ("jsonb", BinaryJsonb)]


def lock(connection: Connection, tenant: str, *, shared: bool) -> None:
    """Lock the data keys of *tenant* until the transaction ends.

    Transactions that encrypt take the *shared* lock. A transaction that deletes data keys takes the exclusive lock, so
    that no other transaction encrypts with a key that is being deleted.
    """
    name = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
    asked = {"lock": advisory_locks.DATA_KEYS, "tenant": tenant}
    send(connection, f"SELECT {name}(%(lock)s, hashtext(%(tenant)s))", asked)


def cipher_of(connection: Connection) -> Cipher | None:
    """Return the cipher of the tenant of *connection*; None if nothing is encrypted."""
    cipher = connection.info.get(_CIPHER)
    assert cipher is None or isinstance(cipher, Cipher)
    return cipher


def encrypted(connection: Connection, texts: Sequence[str | None], *, same: bool = False) -> list[str | None]:
    """Return *texts* as they are stored: encrypted, or unchanged without a cipher.

    With *same*, equal texts of a tenant have equal ciphertexts.
    """
    if (cipher := cipher_of(connection)) is None:
        return list(texts)
    return [None if text is None else cipher.encrypt(text, same=same) for text in texts]


def encrypted_text(connection: Connection, text: str | None, *, same: bool = False) -> str | None:
    """Return *text* as it is stored."""
    return encrypted(connection, [text], same=same)[0]


def stored_forms(connection: Connection, text: str) -> list[str]:
    """Return the forms in which *text* may be stored in a column whose equal texts are stored equal."""
    return [text] if (cipher := cipher_of(connection)) is None else cipher.forms(text)


def encrypted_json(
    connection: Connection, values: Sequence[str | None], plain: Collection[str] = (), *, same: bool = False
) -> list[str | None]:
    """Return JSON *values* as they are stored. The strings of the keys *plain* stay readable."""
    if (cipher := cipher_of(connection)) is None:
        return list(values)
    encrypt = partial(cipher.encrypt, same=same)
    return [None if text is None else json.dumps(each_text(json.loads(text), encrypt, plain)) for text in values]


def stored_json_forms(connection: Connection, texts: Sequence[str], plain: Collection[str] = ()) -> list[str]:
    """Return for each JSON value the JSON list of the forms in which the value may be stored; see `stored_forms`."""
    if (cipher := cipher_of(connection)) is None:
        return [f"[{text}]" for text in texts]
    return [json.dumps(cipher.json_forms(json.loads(text), plain)) for text in texts]


def add_key(connection: Connection, masters: MasterKeys, tenant: str) -> None:
    """Add a new data key of *tenant*. It is used at once if the tenant has no data, else after WAIT_SECONDS."""
    asked = {
        "wrapped": masters.wrap(secrets.token_bytes(KEY_BYTES), tenant),
        "master": masters.current,
        "seconds": WAIT_SECONDS,
    }
    connection.exec_driver_sql(sql("encryption/add_key"), asked)


def _rows(connection: Connection) -> Sequence[Any]:
    return connection.exec_driver_sql(sql("encryption/keys")).all()


def _refuse_encrypted(connection: Connection) -> None:
    now = time.monotonic()
    if now - connection.info.get(_CHECKED, -CHECK_SECONDS) < CHECK_SECONDS:
        return
    if connection.exec_driver_sql("SELECT to_regproc('slowwave_encrypted')").scalar_one() is None:
        return  # a database without migrations, which other statements report
    if connection.exec_driver_sql("SELECT slowwave_encrypted()").scalar_one():
        raise Unprepared(
            "The words in this database are encrypted, and this process has no key.",
            hint="set SLOWWAVE_ENCRYPTION_KEYS to the keys that the other processes have",
        )
    connection.info[_CHECKED] = now
