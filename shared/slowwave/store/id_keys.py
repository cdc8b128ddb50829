"""The proof of the id key, by which a database refuses a process that would make other ids."""

import hmac

from sqlalchemy import Connection

from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Unprepared
from slowwave.runtime.id_key import IdKey
from slowwave.store import advisory_locks

_KEY = "slowwave.id_key"
_IN_CELLS = "slowwave.in_cells"
_SAME = "set SLOWWAVE_ID_KEY to the key that the other processes have"
_MOVE = (
    "unset SLOWWAVE_ID_KEY. For keyed ids, `slowwave export` the memories, and `slowwave import` them into a new "
    "installation: with the key set, `slowwave db migrate` registers the key in its database"
)


def mark(connection: Connection, key: IdKey | None, *, in_cells: bool = False) -> None:
    """Let the transaction of *connection* make ids with *key*, in a process that knows the cells or does not."""
    connection.info[_KEY], connection.info[_IN_CELLS] = key, in_cells


def refuse_other(connection: Connection) -> None:
    """Raise `Unprepared` if the ids in the database were made with another key than the key of *connection*, or if the
    database is a cell and this process does not know the cells.
    """
    proof, is_cell = _found(connection)
    if is_cell and not connection.info.get(_IN_CELLS):
        raise Unprepared("This database is one of several cells.", hint="set SLOWWAVE_CELLS instead of SLOWWAVE_URL")
    _compare(proof, connection.info.get(_KEY))


def register(connection: Connection, key: IdKey | None) -> None:
    """Store the proof of *key* if the database has no scopes and no proof. *connection* has the role slowwave_dispatch.

    Raises `Unprepared` if the database has another key, or has scopes whose ids were made without a key.
    """
    if key is not None and _proof(connection) is None:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": advisory_locks.PACKS})
        connection.exec_driver_sql(
            "INSERT INTO id_keys (tenant, proof) SELECT %(tenant)s, %(proof)s "
            "WHERE NOT EXISTS (SELECT FROM scope_heads) ON CONFLICT DO NOTHING",
            {"tenant": SYSTEM_TENANT, "proof": key.proof},
        )
    _compare(_proof(connection), key)


def _proof(connection: Connection) -> bytes | None:
    return _found(connection)[0]


def _found(connection: Connection) -> tuple[bytes | None, bool]:
    """Return the proof of the id key, and whether the database is a cell."""
    statement = "SELECT (SELECT proof FROM id_keys WHERE tenant = %(it)s), to_regclass('cell_moves') IS NOT NULL"
    proof, is_cell = connection.exec_driver_sql(statement, {"it": SYSTEM_TENANT}).one()
    return None if proof is None else bytes(proof), is_cell


def _compare(proof: bytes | None, key: IdKey | None) -> None:
    if proof is None:
        if key is not None:
            raise Unprepared("The ids in this database have no key, but this process has one.", hint=_MOVE)
    elif key is None:
        raise Unprepared("The ids in this database were made with a key, and this process has none.", hint=_SAME)
    elif not hmac.compare_digest(proof, key.proof):
        raise Unprepared("The ids in this database were made with another key.", hint=_SAME)
