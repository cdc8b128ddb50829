"""The health check of a container: this machine's worker, or any scheduler, has made progress lately."""

from slowwave import wiring
from slowwave.cli.supervisor.programs import WORKER, node_name, runs_pattern
from slowwave.errors import Unavailable
from slowwave.memory import health


def require_alive(parts: wiring.Parts, process: str) -> str:
    """Return the time of the last progress of *process*, in words.

    Raises `Unavailable` if this time is too long ago.
    """
    progress = health.progress_of(parts, worker=node_name(), runs=runs_pattern())
    seen = progress.worker_seen if process == WORKER else progress.ticked
    allowed = parts.settings.stall_seconds + 2 * parts.settings.tick_seconds
    if seen is None or (seen > allowed and not (process == WORKER and progress.working)):
        ago = "never" if seen is None else f"{seen:.0f} s ago"
        raise Unavailable(f"the {process} last made progress {ago}", hint="its log says why; `slowwave up` watches it")
    return f"the {process} made progress {seen:.0f} s ago"
