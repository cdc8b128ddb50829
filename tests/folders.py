"""Temporary folders of tests: in memory if it has room, because a database of a test is hundreds of files."""

import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4 * 1024**3


def quick() -> str:
    """Return the quickest folder that has room and that the accounts of embedded services may enter."""
    try:
        roomy = shutil.disk_usage(MEMORY).free >= ENOUGH_BYTES
    except OSError:
        roomy = False
    return str(MEMORY) if roomy else "/var/tmp"
