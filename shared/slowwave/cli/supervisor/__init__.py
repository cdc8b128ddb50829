"""The processes of an installation under one roof: kept running, watched for progress, ended in good order."""

from slowwave.cli.supervisor.child import Program
from slowwave.cli.supervisor.installation import Night
from slowwave.cli.supervisor.supervisor import Supervisor

__all__ = ["Night", "Program", "Supervisor"]
