"""Health of an installation: the check of the schema, and the progress of processes."""

from slowwave.core.health import Progress
from slowwave.domain.overview import WorkerLag
from slowwave.errors import Unavailable
from slowwave.store import processes
from slowwave.store.migrate import require_current
from slowwave.wiring import Parts


def require_schema(parts: Parts) -> None:
    """Raise `Incorrect` when the database, or that of a cell, lacks revisions of the schema, and `Unavailable` if no
    database can be reached.
    """
    cells = parts.each_cell().values()
    down: list[Unavailable] = []
    for cell in cells:
        try:
            with cell.database.dispatch() as connection:
                require_current(connection)
        except Unavailable as error:  # the others serve their tenants
            down.append(error)
    if len(down) == len(cells):
        raise down[0]


def sign(parts: Parts, process: str, role: str) -> None:
    """Record that a process is active now."""
    with parts.database.dispatch() as connection:
        processes.record_sign_of_life(connection, process, role)


def progress_of(parts: Parts, *, worker: str, runs: str) -> Progress:
    """Return the recorded progress of a worker and the scheduler; see `slowwave.store.processes`."""
    with parts.database.dispatch() as connection:
        return processes.read(connection, worker=worker, runs=runs)


def worker_lag_of(parts: Parts) -> WorkerLag:
    """Return the lag of the pending work of all tenants; with cells, that of the cell that lags most."""
    lags = []
    for cell in parts.each_cell().values():
        with cell.database.dispatch() as connection:
            lags.append(processes.worker_lag(connection))
    return max(lags, key=lambda lag: lag.lag_seconds)
