"""The proof of the id key, by which a database refuses a process that would make other ids."""

import hmac

from sqlalchemy import Connection

from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Unprepared
from slowwave.runtime.id_key import IdKey
from slowwave.store import advisory_locks

_KEY = "slowwave.id_key"
_CELL = "slowwave.cell"
_FIND = """
SELECT (SELECT proof FROM id_keys WHERE tenant = %(it)s), obj_description(to_regclass('cell_moves'), 'pg_class')
"""
_SAME = "set SLOWWAVE_ID_KEY to the key that the other processes have"
_MOVE = (
    "unset SLOWWAVE_ID_KEY. For keyed ids, `slowwave export` the memories, and `slowwave import` them into a new "
    "installation: with the key set, `slowwave db migrate` registers the key in its database"
)


def mark(connection: Connection, key: IdKey | None, *, cell: str | None = None) -> None:
    """Let the transaction of *connection* make ids with *key*, in a database that the process takes for *cell*."""
    connection.info[_KEY], connection.info[_CELL] = key, cell


def refuse_other(connection: Connection) -> None:
    """Raise `Unprepared` if the ids in the database were made with another key than the key of *connection*, or if the
    database is another cell than the process takes it for.
    """
    proof, cell = _found(connection)
    if cell != connection.info.get(_CELL):
        hint = "set SLOWWAVE_CELLS instead of SLOWWAVE_URL, and give each cell its own address"
        raise Unprepared(f"This database is {f'the cell {cell!r}' if cell else 'no cell'}.", hint=hint)
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


def _found(connection: Connection) -> tuple[bytes | None, str | None]:
    """Return the proof of the id key, and the name of the cell that the database is, which is a comment there."""
    proof, cell = connection.exec_driver_sql(_FIND, {"it": SYSTEM_TENANT}).one()
    return None if proof is None else bytes(proof), cell


def _compare(proof: bytes | None, key: IdKey | None) -> None:
    if proof is None:
        if key is not None:
            raise Unprepared("The ids in this database have no key, but this process has one.", hint=_MOVE)
    elif key is None:
        raise Unprepared("The ids in this database were made with a key, and this process has none.", hint=_SAME)
    elif not hmac.compare_digest(proof, key.proof):
        raise Unprepared("The ids in this database were made with another key.", hint=_SAME)
