"""Temporary folders of tests: in memory if it has room, because a database of a test is hundreds of files."""

import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4 * 1024**3


def quick() -> str:
    """Return the fastest folder that has room and is accessible to the accounts of embedded services."""
    try:
        roomy = shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES
    except OSError:
        roomy = False
    return str(MEMORY) if roomy else "/var/tmp"
