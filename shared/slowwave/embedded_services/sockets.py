"""The path of a server's Unix socket: beside its data, or in a short folder when that path is too long."""

import hashlib
import os
import re
from pathlib import Path

from slowwave.errors import Incorrect

# Linux allows 107 bytes, macOS 103. Fourteen of them are for "/.s.PGSQL.5432", our longest name, and one is spare.
LONGEST_FOLDER_BYTES = 103 - 15
SHORT_BASES = (Path("/tmp"), Path("/var/tmp"))  # our folders in them have mode 0700, and their owner is checked
PLAIN = re.compile(r"[A-Za-z0-9/._+-]+")  # needs no quoting in a URL, in Postgres' list of folders, or in kombu


def socket_folder(folder: Path, *, bases: tuple[Path, ...] = SHORT_BASES) -> Path:
    """Return the folder for the sockets of the server in *folder*, the same one every time.

    >>> socket_folder(Path("/var/tmp/slowwave/redis"))
    PosixPath('/var/tmp/slowwave/redis/run')
    """
    beside = folder / "run"
    if PLAIN.fullmatch(str(beside)) and len(os.fsencode(beside)) <= LONGEST_FOLDER_BYTES:
        return beside

    name = f"slowwave-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    for base in bases:
        if os.access(base, os.W_OK | os.X_OK):
            return base / name
    raise Incorrect(
        f"The path {folder} is too long or too unusual for a socket, and no short folder is writable "
        f"({', '.join(map(str, bases))}).",
        hint=f"choose a home of at most {LONGEST_FOLDER_BYTES - len('/postgres/run')} plain characters",
    )
