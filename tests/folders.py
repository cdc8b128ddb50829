"""Temporary folders of tests: in memory if it has room, because a database of a test is hundreds of files."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def open_folder(name: str, parent: str = "/var/tmp") -> Iterator[Path]:
    """Give a folder that the accounts of embedded services may enter; it is removed afterwards."""
    with tempfile.TemporaryDirectory(dir=parent, prefix=f"slowwave-{name}-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
