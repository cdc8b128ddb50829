"""The supervisor of an installation's processes: it restarts them, watches their progress, and shuts them down."""

from slowwave.cli.supervisor.installation import Night
from slowwave.cli.supervisor.supervisor import Program, Supervisor

__all__ = ["Night", "Program", "Supervisor"]
