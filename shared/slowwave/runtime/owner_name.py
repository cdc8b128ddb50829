"""The name under which a process holds leases."""

import os
import socket


def owner_name(role: str) -> str:
    """Return the name under which this process holds leases: role, host and process id."""
    return f"{role}@{socket.gethostname()}:{os.getpid()}"
