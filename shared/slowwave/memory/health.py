"""Health of an installation: the check of the schema, and the progress of processes."""

from slowwave.core.health import Progress
from slowwave.domain.overview import WorkerLag
from slowwave.store import processes
from slowwave.store.migrate import require_current
from slowwave.wiring import Parts


def require_schema(parts: Parts) -> None:
    """Raise `Incorrect` when the database lacks revisions of the schema."""
    with parts.database.dispatch() as connection:
        require_current(connection)


def sign(parts: Parts, process: str, role: str) -> None:
    """Record that a process is active now."""
    with parts.database.dispatch() as connection:
        processes.record_sign_of_life(connection, process, role)


def progress_of(parts: Parts, *, worker: str, runs: str) -> Progress:
    """Return the recorded progress of a worker and the scheduler; see `slowwave.store.processes`."""
    with parts.database.dispatch() as connection:
        return processes.read(connection, worker=worker, runs=runs)


def worker_lag_of(parts: Parts) -> WorkerLag:
    """Return the lag of the pending work of all tenants."""
    with parts.database.dispatch() as connection:
        return processes.worker_lag(connection)
