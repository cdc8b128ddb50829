"""The supervisor of an installation's processes: keeps them running, watches progress, shuts them down cleanly."""

from slowwave.cli.supervisor.child import Program
from slowwave.cli.supervisor.installation import Night
from slowwave.cli.supervisor.supervisor import Supervisor

__all__ = ["Night", "Program", "Supervisor"]
