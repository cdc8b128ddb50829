"""The process on its host: the name under which the process holds leases, and atomic writes of files."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from slowwave.errors import Incorrect


def owner_name(role: str) -> str:
    """Return the name under which this process holds leases: role, host and process id."""
    return f"{role}@{socket.gethostname()}:{os.getpid()}"


@contextmanager
def atomic_write(file: Path) -> Iterator[IO[bytes]]:
    """Give an open draft file, named `….part`. The draft replaces *file* in one step if the block succeeds.

    Only the owner can read the file. Each draft has its own name, so that late writes of a killed process cannot damage
    another draft. Raises `Incorrect` if the file cannot be written.
    """
    try:
        number, name = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".part", dir=file.parent)
        draft = Path(name)
        try:
            with os.fdopen(number, "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            draft.replace(file)
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    except OSError as error:
        raise Incorrect(f"{file} cannot be written: {error.strerror}") from None
