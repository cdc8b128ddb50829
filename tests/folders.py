"""Where tests keep what they throw away: in memory where there is room, for a database a test is hundreds of files."""

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
