"""Processes of an installation: the signs of life of each process, and the progress of workers and the scheduler."""

from sqlalchemy import Connection

from slowwave.core.health import Progress
from slowwave.domain.overview import WorkerLag
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.store.statements import execute


def read(connection: Connection, *, worker: str, runs: str) -> Progress:
    """Return the progress of the worker with the name *worker* and of the scheduler.

    *runs* is a LIKE pattern for the owner names in the leases of the worker's child processes. *connection* has the
    role slowwave_dispatch.
    """
    row = execute(connection, "progress", worker=worker, runs=runs).mappings().one()
    return Progress(**row)


def worker_lag(connection: Connection) -> WorkerLag:
    """Return how long the oldest due work has waited, and the age of the last tick.

    *connection* has the role slowwave_dispatch.
    """
    return WorkerLag(**execute(connection, "worker_lag").mappings().one())


def record_sign_of_life(connection: Connection, process: str, role: str) -> None:
    """Record a sign of life of a process."""
    connection.exec_driver_sql(
        "INSERT INTO processes (process, tenant, role) VALUES (%(process)s, %(tenant)s, %(role)s) "
        "ON CONFLICT (process) DO UPDATE SET seen = slowwave_now()",
        {"process": process, "tenant": SYSTEM_TENANT, "role": role},
    )
